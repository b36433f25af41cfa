package dev.forebay.fuse.view;

import dev.forebay.fuse.nodecache.NodePacks;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import dev.forebay.thread.CatchAll;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains existing views. It detaches views whose version has left, that may show damaged bytes,
 * or whose space is needed. It upgrades none, see {@link ViewUpgrader}, and never blocks. Not
 * thread-safe.
 */
final class ViewMaintenance {

    private static final Logger LOG = LoggerFactory.getLogger(ViewMaintenance.class);

    private final ImageStacks stacks;
    private final Images images;
    private final LocalPacks nodePacks;
    private final NativeVersions natives;

    /** The number of times that damage was found in a version, at the last check. */
    private final Map<DatasetVersion, Long> foundWrong = new HashMap<>();

    /**
     * @param natives is updated when native views are detached
     */
    ViewMaintenance(
            ImageStacks stacks, Images images, LocalPacks nodePacks, NativeVersions natives) {
        this.stacks = stacks;
        this.images = images;
        this.nodePacks = nodePacks;
        this.natives = natives;
    }

    /** Checks all views once. */
    void checkAll(Path root) {
        // Read first: damage that is found during this round is handled by the next one.
        Map<PackId, Long> harmed = nodePacks.open().map(NodePacks::harmed).orElse(Map.of());
        boolean renewed = stacks.detach(root);
        Map<Mount, List<Path>> wanted = stacks.below(root);
        for (Map.Entry<Mount, List<Path>> each : wanted.entrySet()) {
            renewed &= tryToCheck(root, each.getKey(), each.getValue());
        }
        if (renewed && !harmed.isEmpty()) {
            nodePacks.open().ifPresent(cache -> cache.viewsAreRenewed(harmed));
        }
        List<DatasetVersion> versions = wanted.keySet().stream().map(Mount::version).toList();
        natives.retain(versions);
        foundWrong.keySet().retainAll(versions);
        nodePacks.open().filter(NodePacks::lacksSpace).ifPresent(_ -> freeSpace(root));
        stacks.removeUnused(root);
    }

    /**
     * Checks the views of one version; a failure does not affect the other versions.
     *
     * @return whether the version shows no bytes that were found damaged before
     */
    private boolean tryToCheck(Path root, Mount mount, List<Path> stack) {
        return CatchAll.get(
                () -> check(root, mount, stack),
                e -> {
                    LOG.error("Cannot check the view of {} for now", mount.version(), e);
                    return false;
                });
    }

    private boolean check(Path root, Mount mount, List<Path> stack) {
        if (ImageStacks.view(stack) == View.NATIVE) {
            checkNative(root, mount, stack);
        }
        return nodePacks.open().map(cache -> renewPages(root, mount, stack, cache)).orElse(false);
    }

    private void checkNative(Path root, Mount mount, List<Path> stack) {
        if (!images.isOurs(stack.getLast())) {
            // The view is over packs of a cache that no process maintains now.
            lower(root, mount, "its packs are in another process's directory");
            // The version was read here, and the kernel's cached pages of it cause no more
            // requests.
            nodePacks.open().ifPresent(cache -> cache.use(mount.manifest().digest()));
        } else if (nodePacks.failed()) {
            detach(root, mount);
        } else {
            nodePacks.open().ifPresent(cache -> check(root, mount, cache));
        }
    }

    /**
     * Detaches all images: they may be on the same failed disk, and later ones are verified first.
     */
    private void detach(Path root, Mount mount) {
        LOG.info("Detaching the images of {}: its packs are no longer usable", mount.version());
        natives.remove(mount.version());
        boolean _ = stacks.detach(root, mount, _ -> true);
    }

    /**
     * Checks a native view. One that a predecessor attached counts as complete until damage is
     * found or the disk fails. Pages that the kernel has cached stay damaged after a repair on
     * disk.
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
                        "Readers of {} on this node may have read damaged bytes that bypassed "
                                + "this pod; damaged blocks by pack: {}",
                        mount.version(),
                        cache.foundWrong(manifest));
            }
            lower(root, mount, "some of its blocks were damaged on this node's disk");
            cache.renew(manifest);
        } else if (!natives.isNative(mount.version(), whole)) {
            cache.use(manifest);
        }
    }

    /**
     * Detaches images whose cached pages may be damaged: small reads are not verified, and may have
     * cached pages before the damage was found. An image that is attached later has no cached
     * pages.
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
            LOG.info("Detaching the images of {}: some of its bytes were damaged", mount.version());
            // Images of another process too: they also lie over packs of this process.
            if (!stacks.detach(root, mount, _ -> true)) {
                return false;
            }
        }
        // Recorded afterwards, so that a failure is retried.
        foundWrong.put(mount.version(), Math.max(now, before));
        return true;
    }

    private void freeSpace(Path root) {
        Optional<DatasetVersion> version = natives.toYield();
        for (Mount mount : stacks.wanted()) {
            if (version.equals(Optional.of(mount.version()))) {
                lower(root, mount, "other versions need its space on this node's disk");
            }
        }
    }

    private void lower(Path root, Mount mount, String why) {
        LOG.info("{} is shown on demand again: {}", mount.version(), why);
        stacks.detach(root, mount, image -> Images.view(image) == View.NATIVE);
    }
}
