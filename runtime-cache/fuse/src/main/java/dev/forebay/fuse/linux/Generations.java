package dev.forebay.fuse.linux;

import dev.forebay.linux.Descriptor;
import dev.forebay.linux.SystemCallException;
import java.nio.file.Path;
import java.util.List;

/**
 * Changes what is mounted below a directory, for everybody who comes there from then on, and leaves
 * it as it was for everybody who is there. A process has nothing but the kernel's word for where it
 * is: if the mount of its working directory was taken off, {@code getcwd} fails, and if another
 * mount was put on it, {@code ..} leads to other device and inode numbers than it came from, at
 * which {@code find} gives up.
 *
 * <p>So nothing that may be in use is changed. A changed copy of all that is mounted below the
 * directory is attached on the directory itself: the next <i>generation</i>. The root of each
 * generation is the very same directory of the same file system, so that {@code ..} crosses from
 * one to the next without a difference. A generation that is covered so goes, mount by mount, when
 * nobody uses it.
 *
 * <p>Whoever is in another mount namespace that exchanges mounts with this one has the same
 * generations, and counts as a user. All calls are made by an {@link IsolatedThread}. Needs
 * CAP_SYS_ADMIN and CAP_SYS_CHROOT. For one thread at a time for each tree.
 */
public final class Generations {

    private static final Path HERE = Path.of(".");

    private Generations() {}

    /**
     * Adds a generation.
     *
     * @param tree a mount point
     * @param directory below it
     * @param change what is attached and taken off below the directory; made in a namespace of its
     *     own, by absolute paths
     * @throws SystemCallException of the change, too; then nothing has changed
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
     * Takes off what nobody uses of the generations that are covered. A mount below the topmost
     * cannot be reached by any path, so this is done from copies of the tree that lack what is
     * above: what is taken off a copy goes from all that exchange mounts with it, and the kernel
     * refuses that if any of them is in use.
     *
     * @param covered of each generation but the last one, the latest of them first, the directories
     *     on which something is mounted; the last of them is the tree itself
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
     * Makes a copy of the tree, without what is topmost at a directory, the working directory.
     *
     * @param place where the copy is attached, so that calls can change it: on a mount that
     *     exchanges nothing with others
     */
    private static void uncover(Path directory, Path place) throws SystemCallException {
        MountCalls.propagate(directory, MountCalls.MS_UNBINDABLE);
        try (DetachedMount rest = DetachedMount.copyOfAll(HERE)) {
            MountCalls.propagate(HERE, MountCalls.MS_PRIVATE);
            rest.attachHere(place);
            OwnMounts.work(rest.root());
        }
    }

    /** Only what is shared can be taken off by way of a copy. */
    private static void share(Path tree) throws SystemCallException {
        IsolatedThread.run(
                () -> MountCalls.propagate(tree, MountCalls.MS_REC | MountCalls.MS_SHARED));
    }
}
