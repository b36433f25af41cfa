package dev.forebay.fuse.linux;

import dev.forebay.linux.Descriptor;
import dev.forebay.linux.SystemCallException;
import java.nio.file.Path;
import java.util.List;

/**
 * Changes what is mounted below a directory for processes that arrive later, and keeps it unchanged
 * for processes that are there. A process depends on the kernel for its position. If the mount of
 * its working directory is detached, {@code getcwd} fails. If another mount covers it, {@code ..}
 * has other device and inode numbers than before, at which {@code find} gives up.
 *
 * <p>Therefore no mount that may be in use is changed. A changed copy of everything that is mounted
 * below the directory is attached on the directory itself: the next <i>generation</i>. The root of
 * each generation is the same directory of the same file system, so {@code ..} crosses from one to
 * the next without a difference. A covered generation is removed mount by mount, when no process
 * uses it.
 *
 * <p>Processes in other mount namespaces that share mount propagation with this one see the same
 * generations, and count as users. All calls are made by an {@link IsolatedThread}. Requires
 * CAP_SYS_ADMIN and CAP_SYS_CHROOT. One thread at a time may use it for each tree.
 */
public final class MountGenerations {

    private static final Path HERE = Path.of(".");

    private MountGenerations() {}

    /**
     * Adds a generation.
     *
     * @param tree a mount point
     * @param directory the directory below it
     * @param change attaches and detaches mounts below the directory, by absolute paths; runs in
     *     its own mount namespace
     * @throws SystemCallException also if the change fails; then nothing has changed
     */
    public static void add(Path tree, Path directory, IsolatedThread.Calls change)
            throws SystemCallException {
        Path relative = tree.relativize(directory);
        share(tree);
        IsolatedThread.run(
                () -> {
                    try (Descriptor home = OwnMounts.current();
                            Descriptor root = Descriptor.open(tree, Descriptor.O_PATH)) {
                        OwnMounts.leave(tree);
                        change.make();
                        try (DetachedMount next = DetachedMount.copyOfAll(directory)) {
                            OwnMounts.enter(home, root);
                            next.attachHere(relative);
                        }
                    }
                });
    }

    /**
     * Removes the unused mounts of covered generations. No path reaches a mount below the topmost
     * one, so this works on copies of the tree without the mounts above. A mount that is detached
     * from a copy disappears from all its peers. The kernel refuses that if any of them is in use.
     *
     * @param covered the directories that have mounts, for each generation except the topmost, the
     *     latest first; the last list is that of the tree itself
     */
    public static void removeUnused(Path tree, Path directory, List<List<Path>> covered)
            throws SystemCallException {
        Path relative = tree.relativize(directory);
        share(tree);
        IsolatedThread.run(
                () -> {
                    OwnMounts.copy();
                    MountCalls.propagate(OwnMounts.ROOT, MountCalls.MS_PRIVATE);
                    try (Descriptor root = Descriptor.open(tree, Descriptor.O_PATH)) {
                        OwnMounts.work(root);
                    }
                    Path place = OwnMounts.ROOT;
                    boolean isCovered = true;
                    for (int i = 0; i < covered.size(); i++) {
                        if (isCovered) {
                            uncover(relative, place);
                            place = HERE;
                        }
                        for (Path each : covered.get(i)) {
                            removeUnused(tree.relativize(each));
                        }
                        boolean isTree = i == covered.size() - 1;
                        isCovered = isTree || !MountCalls.detachIfUnused(relative);
                    }
                });
    }

    private static void removeUnused(Path directory) throws SystemCallException {
        boolean more = true;
        while (more) {
            more = MountCalls.detachIfUnused(directory);
        }
    }

    /**
     * Makes a copy of the tree without the topmost mount at a directory, and makes it the working
     * directory.
     *
     * @param place where the copy is attached so that calls can change it; must be on a private
     *     mount
     */
    private static void uncover(Path directory, Path place) throws SystemCallException {
        MountCalls.propagate(directory, MountCalls.MS_UNBINDABLE);
        try (DetachedMount rest = DetachedMount.copyOfAll(HERE)) {
            MountCalls.propagate(HERE, MountCalls.MS_PRIVATE);
            rest.attachHere(place);
            OwnMounts.work(rest.root());
        }
    }

    /** Makes the mounts shared: only shared mounts can be detached through a copy. */
    private static void share(Path tree) throws SystemCallException {
        IsolatedThread.run(
                () -> MountCalls.propagate(tree, MountCalls.MS_REC | MountCalls.MS_SHARED));
    }
}
