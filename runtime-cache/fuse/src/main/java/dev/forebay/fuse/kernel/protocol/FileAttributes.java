package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.forebay.fuse.fs.Attributes;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** The attributes of stat(2): {@code struct fuse_attr}, part of {@link EntryReply} and others. */
final class FileAttributes {

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(
                    u64("ino"),
                    u64("size"),
                    u64("blocks"),
                    u64("atime"),
                    u64("mtime"),
                    u64("ctime"),
                    u32("atimensec"),
                    u32("mtimensec"),
                    u32("ctimensec"),
                    u32("mode"),
                    u32("nlink"),
                    u32("uid"),
                    u32("gid"),
                    u32("rdev"),
                    u32("blksize"),
                    u32("flags"));

    static final int BYTES = (int) LAYOUT.byteSize();

    /** The block size, which programs use as the size of their buffers. */
    static final int PREFERRED_READ_BYTES = 128 << 10;

    private static final long NANOS = 1_000_000_000L;

    private static final long INODE = offset(LAYOUT, "ino");
    private static final long SIZE = offset(LAYOUT, "size");
    private static final long BLOCKS = offset(LAYOUT, "blocks");
    private static final long ATIME = offset(LAYOUT, "atime");
    private static final long MTIME = offset(LAYOUT, "mtime");
    private static final long CTIME = offset(LAYOUT, "ctime");
    private static final long ATIME_NANOS = offset(LAYOUT, "atimensec");
    private static final long MTIME_NANOS = offset(LAYOUT, "mtimensec");
    private static final long CTIME_NANOS = offset(LAYOUT, "ctimensec");
    private static final long MODE = offset(LAYOUT, "mode");
    private static final long LINKS = offset(LAYOUT, "nlink");
    private static final long USER = offset(LAYOUT, "uid");
    private static final long GROUP = offset(LAYOUT, "gid");
    private static final long DEVICE = offset(LAYOUT, "rdev");
    private static final long BLOCK_SIZE = offset(LAYOUT, "blksize");
    private static final long FLAGS = offset(LAYOUT, "flags");

    private FileAttributes() {}

    static void write(MemorySegment memory, long at, Attributes attributes, Owner owner) {
        long seconds = seconds(attributes);
        int nanos = nanos(attributes);
        memory.set(JAVA_LONG, at + INODE, attributes.inode());
        memory.set(JAVA_LONG, at + SIZE, attributes.size());
        memory.set(JAVA_LONG, at + BLOCKS, attributes.blocks());
        memory.set(JAVA_LONG, at + ATIME, seconds);
        memory.set(JAVA_LONG, at + MTIME, seconds);
        memory.set(JAVA_LONG, at + CTIME, seconds);
        memory.set(JAVA_INT, at + ATIME_NANOS, nanos);
        memory.set(JAVA_INT, at + MTIME_NANOS, nanos);
        memory.set(JAVA_INT, at + CTIME_NANOS, nanos);
        memory.set(JAVA_INT, at + MODE, attributes.mode());
        memory.set(JAVA_INT, at + LINKS, attributes.links());
        memory.set(JAVA_INT, at + USER, owner.user());
        memory.set(JAVA_INT, at + GROUP, owner.group());
        memory.set(JAVA_INT, at + DEVICE, 0);
        memory.set(JAVA_INT, at + BLOCK_SIZE, PREFERRED_READ_BYTES);
        memory.set(JAVA_INT, at + FLAGS, 0);
    }

    static long seconds(Attributes attributes) {
        return Math.floorDiv(attributes.mtimeNanos(), NANOS);
    }

    static int nanos(Attributes attributes) {
        return (int) Math.floorMod(attributes.mtimeNanos(), NANOS);
    }
}
