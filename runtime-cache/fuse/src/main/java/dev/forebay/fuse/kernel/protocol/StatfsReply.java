package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.spare;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.forebay.fuse.fs.Statistics;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** The answer to STATFS: {@code struct fuse_kstatfs}. */
public final class StatfsReply {

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(
                    u64("blocks"),
                    u64("bfree"),
                    u64("bavail"),
                    u64("files"),
                    u64("ffree"),
                    u32("bsize"),
                    u32("namelen"),
                    u32("frsize"),
                    spare(28));

    public static final int BYTES = (int) LAYOUT.byteSize();

    private StatfsReply() {}

    public static void write(MemorySegment memory, long at, Statistics statistics) {
        memory.asSlice(at, BYTES).fill((byte) 0);
        memory.set(JAVA_LONG, at + offset(LAYOUT, "blocks"), statistics.blocks());
        memory.set(JAVA_LONG, at + offset(LAYOUT, "files"), statistics.files());
        memory.set(JAVA_INT, at + offset(LAYOUT, "bsize"), Statistics.BLOCK_BYTES);
        memory.set(JAVA_INT, at + offset(LAYOUT, "namelen"), Statistics.NAME_BYTES);
        memory.set(JAVA_INT, at + offset(LAYOUT, "frsize"), Statistics.BLOCK_BYTES);
    }
}
