package dev.forebay.fuse.linux;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the mounts on top of each other in a mount table. Several mounts may have the same path:
 * those that the path leads to, and others that lie on a covered mount.
 */
public final class MountStacks {

    /**
     * Stands for the parent of mounts whose parent is not in the table: the root of a namespace or
     * of a process.
     */
    private static final int NONE = -1;

    private final Map<Integer, List<MountTable.Entry>> byParent = new HashMap<>();

    /** Takes the entries of a table as the kernel lists them. */
    public MountStacks(Collection<MountTable.Entry> table) {
        Set<Integer> ids = new HashSet<>();
        table.forEach(mount -> ids.add(mount.id()));
        for (MountTable.Entry mount : table) {
            boolean isRoot = mount.parent() == mount.id() || !ids.contains(mount.parent());
            byParent.computeIfAbsent(isRoot ? NONE : mount.parent(), _ -> new ArrayList<>())
                    .add(mount);
        }
    }

    /** Returns the mounts that lie directly on a mount. */
    public List<MountTable.Entry> on(MountTable.Entry mount) {
        return byParent.getOrDefault(mount.id(), List.of());
    }

    /**
     * Returns the mounts that lie on a directory of a mount and on each other, the topmost last.
     */
    public List<MountTable.Entry> on(MountTable.Entry mount, Path directory) {
        List<MountTable.Entry> stack = new ArrayList<>();
        MountTable.@Nullable Entry next = among(on(mount), directory);
        while (next != null) {
            stack.add(next);
            next = among(on(next), directory);
        }
        return stack;
    }

    /**
     * Returns the mounts on the directory that a path leads to, the topmost last.
     *
     * @param directory absolute, without links
     */
    public List<MountTable.Entry> at(Path directory) {
        MountTable.@Nullable Entry mount = null;
        List<MountTable.Entry> stack = List.of();
        for (Path way : waysTo(directory)) {
            stack = new ArrayList<>();
            MountTable.@Nullable Entry first = first(mount, way);
            if (first != null) {
                stack.add(first);
                stack.addAll(on(first, way));
                mount = stack.getLast();
            }
        }
        return stack;
    }

    private MountTable.@Nullable Entry first(MountTable.@Nullable Entry mount, Path directory) {
        MountTable.@Nullable Entry first = mount == null ? null : among(on(mount), directory);
        return first != null ? first : among(byParent.getOrDefault(NONE, List.of()), directory);
    }

    private static MountTable.@Nullable Entry among(List<MountTable.Entry> mounts, Path at) {
        for (MountTable.Entry each : mounts) {
            if (each.mountpoint().equals(at)) {
                return each;
            }
        }
        return null;
    }

    private static List<Path> waysTo(Path directory) {
        List<Path> ways = new ArrayList<>();
        for (Path each = directory; each != null; each = each.getParent()) {
            ways.addFirst(each);
        }
        return ways;
    }
}
