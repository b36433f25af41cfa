package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.DetachedMount;
import dev.forebay.fuse.linux.IsolatedThread;
import dev.forebay.fuse.linux.MountCalls;
import dev.forebay.fuse.linux.MountGenerations;
import dev.forebay.linux.SystemCallException;
import dev.forebay.membership.Mount;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attaches images to the folders of the mounted tree and detaches them. A folder has no image, or
 * the version's on-demand image, or its native image on top of that. Each change is a new
 * generation of the dataset's folder. Programs in a version notice nothing, unless the version
 * leaves the tree. Each call reads the attached images from the kernel. It makes one change at a
 * time. Thread-safe.
 */
final class ImageStacks {

    private static final Logger LOG = LoggerFactory.getLogger(ImageStacks.class);

    private final View best;

    /** The versions with the names of their images, which cost a hash each. */
    private volatile Map<Mount, String> wanted = Map.of();

    /**
     * @param best the best permitted view
     */
    ImageStacks(View best) {
        this.best = best;
    }

    /** Sets the versions whose images may be attached. */
    synchronized void retain(List<Mount> mounts) {
        Map<Mount, String> next = new LinkedHashMap<>();
        for (Mount mount : mounts) {
            String known = wanted.get(mount);
            next.put(mount, known != null ? known : Images.name(mount));
        }
        wanted = next;
    }

    /** Returns the versions whose images may be attached. */
    Set<Mount> wanted() {
        return Collections.unmodifiableSet(wanted.keySet());
    }

    /** Returns the images on the folders of these versions now, the visible one last. */
    Map<Mount, List<Path>> below(Path root) {
        Map<Path, List<Path>> attached = TreeMounts.of(root).images();
        Map<Mount, List<Path>> stacks = new LinkedHashMap<>();
        for (Mount mount : wanted.keySet()) {
            stacks.put(mount, attached.getOrDefault(folder(root, mount), List.of()));
        }
        return stacks;
    }

    /** Returns the visible view of a stack. */
    static View view(List<Path> stack) {
        return stack.isEmpty() ? View.PORTABLE : Images.view(stack.getLast());
    }

    /** Attaches an image on top of its version's folder; returns false if the version has left. */
    synchronized boolean attach(Path root, Mount mount, DetachedMount image)
            throws SystemCallException {
        Path folder = folder(root, mount);
        if (!Images.name(mount).equals(names(root).get(folder))) {
            return false;
        }
        Path dataset = TreeMounts.dataset(root, folder);
        MountGenerations.add(root, dataset, () -> image.attachHere(folder));
        removeUnused(root);
        return true;
    }

    /**
     * Detaches images from a version's folder, from the top, while they match.
     *
     * @return whether the kernel reports that no matching image is visible any more
     */
    synchronized boolean detach(Path root, Mount mount, Predicate<Path> such) {
        Path folder = folder(root, mount);
        List<Path> stack = TreeMounts.of(root).images(folder);
        int kept = stack.size();
        while (kept > 0 && such.test(stack.get(kept - 1))) {
            kept--;
        }
        return keep(root, folder, stack, kept)
                && TreeMounts.of(root).images(folder).stream().noneMatch(such);
    }

    /**
     * Detaches all images that do not belong to the tree; returns false if any remain. All images
     * of a version that left are detached at once, also for programs in it.
     */
    synchronized boolean detach(Path root) {
        Map<Path, String> names = names(root);
        TreeMounts mounts = TreeMounts.of(root);
        boolean all = true;
        for (Map.Entry<Path, List<Path>> each : mounts.images().entrySet()) {
            Path folder = each.getKey();
            List<Path> stack = each.getValue();
            String name = names.get(folder);
            all &=
                    name == null
                            ? detach(folder, stack.size())
                            : keep(root, folder, stack, belonging(stack, name));
        }
        Set<Path> datasets =
                names.keySet().stream()
                        .map(folder -> TreeMounts.dataset(root, folder))
                        .collect(Collectors.toSet());
        for (Map.Entry<Path, Integer> each : mounts.generations().entrySet()) {
            if (!datasets.contains(each.getKey())) {
                all &= detach(each.getKey(), each.getValue());
            }
        }
        return all;
    }

    /** Removes covered mounts that are no longer used. */
    synchronized void removeUnused(Path root) {
        for (Map.Entry<Path, List<List<Path>>> each : TreeMounts.of(root).covered().entrySet()) {
            try {
                MountGenerations.removeUnused(root, each.getKey(), each.getValue());
            } catch (SystemCallException e) {
                LOG.warn("Cannot remove unused views below {}: {}", each.getKey(), e.getMessage());
            }
        }
    }

    /**
     * Detaches all but this number of a stack's images, from below, for programs that arrive later.
     */
    private boolean keep(Path root, Path folder, List<Path> stack, int kept) {
        if (kept == stack.size()) {
            return true;
        }
        try {
            MountGenerations.add(
                    root,
                    TreeMounts.dataset(root, folder),
                    () -> {
                        for (int i = kept; i < stack.size(); i++) {
                            MountCalls.detach(folder);
                        }
                    });
            removeUnused(root);
            return true;
        } catch (SystemCallException e) {
            LOG.warn("Cannot change the view of {}: {}", folder, e.getMessage());
            return false;
        }
    }

    /** Returns how many of a stack's images belong there, from below. */
    private int belonging(List<Path> stack, String name) {
        int kept = stack.size();
        while (!belongs(stack.subList(0, kept), name)) {
            kept--;
        }
        return kept;
    }

    private boolean belongs(List<Path> stack, String name) {
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

    /** Detaches mounts from a folder for all programs. */
    private static boolean detach(Path folder, int count) {
        try {
            IsolatedThread.run(
                    () -> {
                        for (int i = 0; i < count; i++) {
                            MountCalls.detach(folder);
                        }
                    });
            return true;
        } catch (SystemCallException e) {
            LOG.warn("Cannot unmount the image of a removed version: {}", e.getMessage());
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
