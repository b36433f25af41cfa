package dev.forebay.fuse.view;

import dev.forebay.fuse.nodecache.NodePacks;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the views that are there: takes off what must not be seen any more, as its version
 * has left, something of it was found wrong, or others need its room. Makes none better, see {@link
 * ViewImprovement}, and waits for nothing. For one thread.
 */
final class ViewUpkeep {

    private static final Logger LOG = LoggerFactory.getLogger(ViewUpkeep.class);

    private final ImageStacks stacks;
    private final Images images;
    private final LocalPacks nodePacks;
    private final NativeVersions natives;

    /** How often something of a version had been found wrong when that was looked at last. */
    private final Map<DatasetVersion, Long> foundWrong = new HashMap<>();

    /**
     * @param natives is told of those that go
     */
    ViewUpkeep(ImageStacks stacks, Images images, LocalPacks nodePacks, NativeVersions natives) {
        this.stacks = stacks;
        this.images = images;
        this.nodePacks = nodePacks;
        this.natives = natives;
    }

    /** Looks at all of them once. */
    void lookAfter(Path root) {
        // First: of what is found wrong meanwhile the next round looks at the views.
        Map<PackId, Long> harmed = nodePacks.open().map(NodePacks::harmed).orElse(Map.of());
        boolean renewed = stacks.takeOff(root);
        Map<Mount, List<Path>> wanted = stacks.below(root);
        for (Map.Entry<Mount, List<Path>> each : wanted.entrySet()) {
            renewed &= tryToLookAfter(root, each.getKey(), each.getValue());
        }
        if (renewed && !harmed.isEmpty()) {
            nodePacks.open().ifPresent(cache -> cache.viewsAreRenewed(harmed));
        }
        List<DatasetVersion> versions = wanted.keySet().stream().map(Mount::version).toList();
        natives.retain(versions);
        foundWrong.keySet().retainAll(versions);
        nodePacks.open().filter(NodePacks::lacksRoom).ifPresent(_ -> makeRoom(root));
        stacks.removeUnused(root);
    }

    /**
     * A version that cannot be looked after now does not keep the others from it.
     *
     * @return whether it shows nothing that was found wrong before
     */
    private boolean tryToLookAfter(Path root, Mount mount, List<Path> stack) {
        try {
            return lookAfter(root, mount, stack);
        } catch (RuntimeException | Error e) {
            LOG.error("{} stays as it is shown for now", mount.version(), e);
            return false;
        }
    }

    private boolean lookAfter(Path root, Mount mount, List<Path> stack) {
        if (ImageStacks.view(stack) == View.NATIVE) {
            lookAfterNative(root, mount, stack);
        }
        return nodePacks.open().map(cache -> renewPages(root, mount, stack, cache)).orElse(false);
    }

    private void lookAfterNative(Path root, Mount mount, List<Path> stack) {
        if (!images.isOurs(stack.getLast())) {
            // Over packs of a cache that nobody looks after now.
            lower(root, mount, "its packs are in another process's directory");
            // It was read here, and what the kernel still has of it is not asked for again.
            nodePacks.open().ifPresent(cache -> cache.use(mount.manifest().digest()));
        } else if (nodePacks.failed()) {
            takeOff(root, mount);
        } else {
            nodePacks.open().ifPresent(cache -> check(root, mount, cache));
        }
    }

    /** Its images may be on the same disk: what comes instead is compared before. */
    private void takeOff(Path root, Mount mount) {
        LOG.info("{} is shown anew: its packs cannot be used any more", mount.version());
        natives.remove(mount.version());
        boolean _ = stacks.detach(root, mount, _ -> true);
    }

    /**
     * Looks after a native view, which a predecessor may have attached: then it is whole until
     * something is found wrong, or the disk fails. What is mended on the disk stays wrong in the
     * pages that the kernel has of the view.
     */
    private void check(Path root, Mount mount, NodePacks cache) {
        cache.isReadDirectly();
        Digest manifest = mount.manifest().digest();
        boolean whole = cache.isWhole(manifest);
        boolean wrong =
                natives.isKnownWhole(mount.version()) ? !whole : cache.hasLostSome(manifest);
        if (wrong || cache.diskHasFailed()) {
            natives.remove(mount.version());
            if (wrong) {
                LOG.warn(
                        "What was read of {} past this pod may have been wrong, on this node;"
                                + " blocks found wrong, by pack: {}",
                        mount.version(),
                        cache.foundWrong(manifest));
            }
            lower(root, mount, "not all of it was right on this node's disk");
            cache.renew(manifest);
        } else if (!natives.isNative(mount.version(), whole)) {
            cache.use(manifest);
        }
    }

    /**
     * Takes off images of whose pages the kernel may have wrong ones: a small read, which is not
     * compared, may have brought them there before that was found. What is attached next has none.
     *
     * @return whether none are left
     */
    private boolean renewPages(Path root, Mount mount, List<Path> stack, NodePacks cache) {
        OptionalLong known = cache.timesFoundWrong(mount.manifest().digest());
        if (known.isEmpty()) {
            return false;
        }
        long now = known.getAsLong();
        long before = foundWrong.getOrDefault(mount.version(), 0L);
        if (!stack.isEmpty() && now > before) {
            LOG.info("{} is shown anew: not all that was read of it was right", mount.version());
            // Also one of another process's: whoever attached it, it lies over packs of ours.
            if (!stacks.detach(root, mount, _ -> true)) {
                return false;
            }
        }
        // Afterwards: if that fails it is tried again.
        foundWrong.put(mount.version(), Math.max(now, before));
        return true;
    }

    private void makeRoom(Path root) {
        Optional<DatasetVersion> version = natives.toYield();
        for (Mount mount : stacks.wanted()) {
            if (version.equals(Optional.of(mount.version()))) {
                lower(root, mount, "others need its room on this node's disk");
            }
        }
    }

    private void lower(Path root, Mount mount, String why) {
        LOG.info("{} is shown on demand again: {}", mount.version(), why);
        stacks.detach(root, mount, image -> Images.view(image) == View.NATIVE);
    }
}
