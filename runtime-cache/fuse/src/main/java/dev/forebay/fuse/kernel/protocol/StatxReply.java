package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.spare;
import static dev.forebay.fuse.kernel.protocol.Layouts.u16;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.forebay.fuse.fs.Attributes;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The answer to STATX: {@code struct fuse_statx_out} with its {@code struct fuse_statx} (7.39). It
 * has the same attributes as GETATTR, without a birth time.
 */
public final class StatxReply {

    private static final StructLayout TIME =
            MemoryLayout.structLayout(u64("tv_sec"), u32("tv_nsec"), spare(4));

    static final StructLayout STATX =
            MemoryLayout.structLayout(
                    u32("mask"),
                    u32("blksize"),
                    u64("attributes"),
                    u32("nlink"),
                    u32("uid"),
                    u32("gid"),
                    u16("mode"),
                    spare(2),
                    u64("ino"),
                    u64("size"),
                    u64("blocks"),
                    u64("attributes_mask"),
                    TIME.withName("atime"),
                    TIME.withName("btime"),
                    TIME.withName("ctime"),
                    TIME.withName("mtime"),
                    u32("rdev_major"),
                    u32("rdev_minor"),
                    u32("dev_major"),
                    u32("dev_minor"),
                    spare(112));

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(
                    u64("attr_valid"),
                    u32("attr_valid_nsec"),
                    u32("flags"),
                    spare(16),
                    STATX.withName("stat"));

    public static final int BYTES = (int) LAYOUT.byteSize();

    /** {@code STATX_BASIC_STATS}: everything except the birth time. */
    private static final int BASIC = 0x7ff;

    private static final long STAT = offset(LAYOUT, "stat");

    private StatxReply() {}

    /**
     * Writes a reply.
     *
     * @param seconds the time for which the kernel may cache it
     */
    public static void write(
            MemorySegment memory, long at, Attributes attributes, long seconds, Owner owner) {
        memory.asSlice(at, BYTES).fill((byte) 0);
        memory.set(JAVA_LONG, at, seconds);
        long stat = at + STAT;
        memory.set(JAVA_INT, stat + offset(STATX, "mask"), BASIC);
        memory.set(JAVA_INT, stat + offset(STATX, "blksize"), FileAttributes.PREFERRED_READ_BYTES);
        memory.set(JAVA_INT, stat + offset(STATX, "nlink"), attributes.links());
        memory.set(JAVA_INT, stat + offset(STATX, "uid"), owner.user());
        memory.set(JAVA_INT, stat + offset(STATX, "gid"), owner.group());
        memory.set(JAVA_SHORT, stat + offset(STATX, "mode"), (short) attributes.mode());
        memory.set(JAVA_LONG, stat + offset(STATX, "ino"), attributes.inode());
        memory.set(JAVA_LONG, stat + offset(STATX, "size"), attributes.size());
        memory.set(JAVA_LONG, stat + offset(STATX, "blocks"), attributes.blocks());
        for (String time : new String[] {"atime", "ctime", "mtime"}) {
            long place = stat + offset(STATX, time);
            memory.set(JAVA_LONG, place, FileAttributes.seconds(attributes));
            memory.set(JAVA_INT, place + Long.BYTES, FileAttributes.nanos(attributes));
        }
    }
}
