package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** LSEEK for data and holes: {@code struct fuse_lseek_in} and {@code struct fuse_lseek_out}. */
public final class SeekMessage {

    public static final int SEEK_DATA = 3;
    public static final int SEEK_HOLE = 4;

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(u64("fh"), u64("offset"), u32("whence"), u32("padding"));

    public static final int REPLY_BYTES = Long.BYTES;

    private static final long OFFSET = RequestHeader.BYTES + Layouts.offset(LAYOUT, "offset");
    private static final long WHENCE = RequestHeader.BYTES + Layouts.offset(LAYOUT, "whence");

    private SeekMessage() {}

    public static long offset(MemorySegment request) {
        return request.get(JAVA_LONG, OFFSET);
    }

    /**
     * Returns {@link #SEEK_DATA} or {@link #SEEK_HOLE}; the kernel handles all other values itself.
     */
    public static int whence(MemorySegment request) {
        return request.get(JAVA_INT, WHENCE);
    }

    public static void write(MemorySegment memory, long at, long offset) {
        memory.set(JAVA_LONG, at, offset);
    }
}
