package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.DetachedMount;
import dev.forebay.fuse.linux.IsolatedThread;
import dev.forebay.fuse.linux.MountCalls;
import dev.forebay.linux.SystemCallException;
import dev.forebay.membership.Mount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The images on the folders of the mounted tree: on each none, or the version's image on demand, or
 * that and its native one on top. What is attached is asked of the kernel each time; nothing is
 * attached and taken off at the same time. Safe for use by many threads.
 */
final class ImageStacks {

    private static final Logger LOG = LoggerFactory.getLogger(ImageStacks.class);

    private final View best;

    /** With the names of their images, which take a hash each. */
    private volatile Map<Mount, String> wanted = Map.of();

    /**
     * @param best no better view belongs on a folder
     */
    ImageStacks(View best) {
        this.best = best;
    }

    /** From now on only images of these versions belong there. */
    synchronized void retain(List<Mount> mounts) {
        Map<Mount, String> next = new LinkedHashMap<>();
        for (Mount mount : mounts) {
            String known = wanted.get(mount);
            next.put(mount, known != null ? known : Images.name(mount));
        }
        wanted = next;
    }

    /** The versions whose images belong there. */
    Set<Mount> wanted() {
        return Collections.unmodifiableSet(wanted.keySet());
    }

    /** What is on their folders now, of each what is seen last. */
    Map<Mount, List<Path>> below(Path root) {
        Map<Path, List<Path>> attached = AttachedImages.below(root);
        Map<Mount, List<Path>> stacks = new LinkedHashMap<>();
        for (Mount mount : wanted.keySet()) {
            stacks.put(mount, attached.getOrDefault(folder(root, mount), List.of()));
        }
        return stacks;
    }

    /** What is seen of a stack. */
    static View view(List<Path> stack) {
        return stack.isEmpty() ? View.PORTABLE : Images.view(stack.getLast());
    }

    /** Puts an image on top of its version's folder, if it belongs there still. */
    synchronized boolean attach(Path root, Mount mount, DetachedMount image)
            throws SystemCallException {
        Path folder = folder(root, mount);
        if (!Images.name(mount).equals(names(root).get(folder))) {
            return false;
        }
        image.attach(folder);
        return true;
    }

    /**
     * Takes images off a version's folder, from the top on, as long as they are such.
     *
     * @return whether the kernel says that no such one is left
     */
    synchronized boolean detach(Path root, Mount mount, Predicate<Path> such) {
        Path folder = folder(root, mount);
        for (Path image : on(folder, root).reversed()) {
            if (!such.test(image) || !detach(folder)) {
                break;
            }
        }
        return on(folder, root).stream().noneMatch(such);
    }

    private static List<Path> on(Path folder, Path root) {
        return AttachedImages.below(root).getOrDefault(folder, List.of());
    }

    /** Leaves of each stack what belongs there; false if more stays than that. */
    synchronized boolean takeOff(Path root) {
        Map<Path, String> names = names(root);
        boolean all = true;
        for (Map.Entry<Path, List<Path>> each : AttachedImages.below(root).entrySet()) {
            Path folder = each.getKey();
            all &= takeOff(folder, each.getValue(), names.get(folder));
        }
        return all;
    }

    private boolean takeOff(Path folder, List<Path> stack, @Nullable String name) {
        List<Path> left = new ArrayList<>(stack);
        while (!left.isEmpty() && !belongs(left, name)) {
            if (!detach(folder)) {
                return false;
            }
            left.removeLast();
        }
        return true;
    }

    private boolean belongs(List<Path> stack, @Nullable String name) {
        View last = View.PORTABLE;
        for (Path image : stack) {
            View view = Images.view(image);
            if (view.compareTo(last) <= 0
                    || view.compareTo(best) > 0
                    || !Images.name(image).equals(name)) {
                return false;
            }
            last = view;
        }
        return true;
    }

    private static boolean detach(Path folder) {
        try {
            IsolatedThread.run(() -> MountCalls.detach(folder));
            return true;
        } catch (SystemCallException e) {
            LOG.warn("An image stays where its version was: {}", e.getMessage());
            return false;
        }
    }

    private Map<Path, String> names(Path root) {
        return wanted.entrySet().stream()
                .collect(Collectors.toMap(e -> folder(root, e.getKey()), Map.Entry::getValue));
    }

    private static Path folder(Path root, Mount mount) {
        return root.resolve(mount.version().path());
    }
}
