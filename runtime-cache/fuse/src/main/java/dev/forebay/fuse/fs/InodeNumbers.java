package dev.forebay.fuse.fs;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Inode numbers that are the same on every node.
 *
 * <p>The upper half says which version, 0 for the levels above; the lower half is the node's id in
 * the manifest, or a hash of the path above. In the rare case that two paths have the same hash the
 * one that comes later takes the next free number.
 *
 * <p>A path keeps its number, and a number its path, as long as this lives, also when the version
 * has gone: the kernel may remember a number for longer than we show what it means. For one thread.
 */
final class InodeNumbers {

    private static final int POSITIVE = 0x7fffffff;
    private static final long ID_MASK = 0xffffffffL;

    private final Map<String, Integer> numbers = new HashMap<>();
    private final Set<Integer> taken = new HashSet<>();

    InodeNumbers() {
        taken.add(0);
        taken.add((int) FileSystemView.ROOT);
    }

    /** A number for a directory above the versions. */
    long ofUpperDirectory(String path) {
        return unique(path);
    }

    /** The number of the version itself, to be combined with node ids by {@link #of}. */
    int ofVersion(String path) {
        return unique(path);
    }

    static long of(int version, long nodeId) {
        if (nodeId > ID_MASK) {
            throw new IllegalArgumentException("node id " + nodeId + " needs more than 32 bits");
        }
        return ((long) version << 32) | nodeId;
    }

    static int versionOf(long inode) {
        return (int) (inode >>> 32);
    }

    static long nodeIdOf(long inode) {
        return inode & ID_MASK;
    }

    private int unique(String path) {
        return numbers.computeIfAbsent(path, this::assign);
    }

    private int assign(String path) {
        CRC32C crc = new CRC32C();
        crc.update(path.getBytes(StandardCharsets.UTF_8));
        int number = (int) crc.getValue() & POSITIVE;
        while (!taken.add(number)) {
            number = (number + 1) & POSITIVE;
        }
        return number;
    }
}
