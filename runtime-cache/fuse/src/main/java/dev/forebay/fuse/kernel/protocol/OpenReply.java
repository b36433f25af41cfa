package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** The answer to OPENDIR: {@code struct fuse_open_out}. */
public final class OpenReply {

    /** The kernel keeps what it has cached. */
    public static final int KEEP_CACHE = 1 << 1;

    /** The kernel may cache the listing (7.28). */
    public static final int CACHE_DIR = 1 << 3;

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(u64("fh"), u32("open_flags"), u32("backing_id"));

    public static final int BYTES = (int) LAYOUT.byteSize();

    private static final long FLAGS = offset(LAYOUT, "open_flags");
    private static final long BACKING = offset(LAYOUT, "backing_id");

    private OpenReply() {}

    public static void write(MemorySegment memory, long at, long handle, int flags) {
        memory.set(JAVA_LONG, at, handle);
        memory.set(JAVA_INT, at + FLAGS, flags);
        memory.set(JAVA_INT, at + BACKING, 0);
    }
}
