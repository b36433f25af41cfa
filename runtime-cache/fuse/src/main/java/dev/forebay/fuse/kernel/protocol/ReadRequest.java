package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** READ, READDIR and READDIRPLUS: {@code struct fuse_read_in}. */
public final class ReadRequest {

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(
                    u64("fh"),
                    u64("offset"),
                    u32("size"),
                    u32("read_flags"),
                    u64("lock_owner"),
                    u32("flags"),
                    u32("padding"));

    public static final int BYTES = (int) LAYOUT.byteSize();

    private static final long HANDLE = RequestHeader.BYTES + Layouts.offset(LAYOUT, "fh");
    private static final long OFFSET = RequestHeader.BYTES + Layouts.offset(LAYOUT, "offset");
    private static final long SIZE = RequestHeader.BYTES + Layouts.offset(LAYOUT, "size");

    private ReadRequest() {}

    /** Returns the handle from the answer to OPENDIR. */
    public static long handle(MemorySegment request) {
        return request.get(JAVA_LONG, HANDLE);
    }

    /** Returns the offset in bytes; in a directory, the {@code off} field of the previous entry. */
    public static long offset(MemorySegment request) {
        return request.get(JAVA_LONG, OFFSET);
    }

    /** Returns the maximum number of bytes in the answer. */
    public static int size(MemorySegment request) {
        return request.get(JAVA_INT, SIZE);
    }

    /** Writes a request without a handle, as a kernel does. */
    public static void write(MemorySegment request, long offset, int size) {
        request.asSlice(RequestHeader.BYTES, BYTES).fill((byte) 0);
        request.set(JAVA_LONG, OFFSET, offset);
        request.set(JAVA_INT, SIZE, size);
    }
}
