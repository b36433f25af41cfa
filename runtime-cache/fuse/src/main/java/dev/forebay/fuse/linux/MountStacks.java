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
 * Says of a table of mounts what lies on what. The same path may be the mount point of many: of
 * those that a path leads to, and of others that lie on something that is covered.
 */
public final class MountStacks {

    /** The number of no mount: that of what a namespace's or a process's root lies on. */
    private static final int NONE = -1;

    private final Map<Integer, List<MountTable.Entry>> byParent = new HashMap<>();

    /** Takes a table as the kernel gives it. */
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
     * Returns what lies on the directory that a path leads to, the topmost last.
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
