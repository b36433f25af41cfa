package dev.forebay.fuse.fs;

import dev.forebay.manifest.Node;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The directories above the versions, {@code /namespace/name/version}, built from the mount table.
 * Immutable.
 */
final class MountIndex {

    /** A directory above the versions, such as the root. */
    record Upper(long inode, SortedMap<String, Child> children) implements Child {}

    /** The topmost directory of a version. */
    record Version(int number, Mount mount) implements Child {

        @Override
        public long inode() {
            return InodeNumbers.of(number, Node.ROOT_ID);
        }

        DatasetVersion name() {
            return mount.version();
        }
    }

    sealed interface Child {
        long inode();
    }

    static final MountIndex EMPTY = new MountIndex(List.of(), InodeNumbers.unkept());

    private final Upper root = new Upper(FileSystemView.ROOT, new TreeMap<>());
    private final Map<Long, Upper> uppers = new HashMap<>();
    private final Map<Integer, Version> versions = new HashMap<>();

    /**
     * @param mounts the mount table; versions in state EVICTING are hidden
     * @param inodes assigns numbers to names
     */
    MountIndex(List<Mount> mounts, InodeNumbers inodes) {
        uppers.put(root.inode, root);
        List<Mount> shown = new ArrayList<>(mounts);
        shown.removeIf(mount -> mount.state() == Mount.State.EVICTING);
        shown.sort(Comparator.comparing(mount -> mount.version().path()));
        Map<String, Integer> numbers = inodes.of(names(shown));
        for (Mount mount : shown) {
            String namespace = mount.version().dataset().namespace();
            String name = mount.version().dataset().name();
            Upper dataset =
                    below(
                            below(root, namespace, namespace, numbers),
                            name,
                            namespace + "/" + name,
                            numbers);
            Version version = new Version(numberOf(versionName(mount), numbers), mount);
            dataset.children.put(mount.version().version(), version);
            versions.put(version.number, version);
        }
    }

    /** Returns the names from which inode numbers are derived, in the order of paths. */
    private static List<String> names(List<Mount> shown) {
        List<String> names = new ArrayList<>();
        for (Mount mount : shown) {
            String namespace = mount.version().dataset().namespace();
            names.add(namespace);
            names.add(namespace + "/" + mount.version().dataset().name());
            names.add(versionName(mount));
        }
        return names;
    }

    /**
     * Returns a name that includes the manifest. If a version's name returns with another manifest,
     * a kernel must not mistake the new files for those that it remembers.
     */
    private static String versionName(Mount mount) {
        return mount.version().path() + "@" + mount.manifest().digest().hex();
    }

    private static int numberOf(String name, Map<String, Integer> numbers) {
        return Objects.requireNonNull(numbers.get(name));
    }

    private Upper below(Upper parent, String name, String path, Map<String, Integer> numbers) {
        if (parent.children.get(name) instanceof Upper there) {
            return there;
        }
        Upper made = new Upper(numberOf(path, numbers), new TreeMap<>());
        parent.children.put(name, made);
        uppers.put(made.inode, made);
        return made;
    }

    @Nullable Upper upper(long inode) {
        return uppers.get(inode);
    }

    /** Returns the version that an inode belongs to. */
    @Nullable Version versionOf(long inode) {
        return versions.get(InodeNumbers.versionOf(inode));
    }

    Map<Integer, Version> versions() {
        return versions;
    }

    Statistics statistics() {
        long bytes = 0;
        long files = 0;
        for (Version version : versions.values()) {
            bytes += version.mount.manifest().bytes();
            files += version.mount.manifest().objects();
        }
        return new Statistics(bytes, files);
    }
}
