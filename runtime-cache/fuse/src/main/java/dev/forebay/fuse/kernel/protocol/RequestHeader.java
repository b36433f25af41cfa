package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.spare;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static dev.forebay.fuse.kernel.protocol.Layouts.u64;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** The header of every request: {@code struct fuse_in_header}. */
public final class RequestHeader {

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(
                    u32("len"),
                    u32("opcode"),
                    u64("unique"),
                    u64("nodeid"),
                    u32("uid"),
                    u32("gid"),
                    u32("pid"),
                    spare(4));

    public static final int BYTES = (int) LAYOUT.byteSize();

    private static final long LENGTH = offset(LAYOUT, "len");
    private static final long OPCODE = offset(LAYOUT, "opcode");
    private static final long UNIQUE = offset(LAYOUT, "unique");
    private static final long NODE = offset(LAYOUT, "nodeid");

    private RequestHeader() {}

    /** Returns the length of the whole request in bytes. */
    public static int length(MemorySegment request) {
        return request.get(JAVA_INT, LENGTH);
    }

    /** Returns the kind of the request; see {@link Opcode}. */
    public static int opcode(MemorySegment request) {
        return request.get(JAVA_INT, OPCODE);
    }

    /**
     * Returns the number that the reply must repeat. Bit 63 is set if the kernel resends the
     * request because the process that had read it has died.
     */
    public static long unique(MemorySegment request) {
        return request.get(JAVA_LONG, UNIQUE);
    }

    /** Returns the inode that the request is about. */
    public static long node(MemorySegment request) {
        return request.get(JAVA_LONG, NODE);
    }

    /** Writes a header, as a kernel does. */
    public static void write(
            MemorySegment request, int length, int opcode, long unique, long node) {
        request.asSlice(0, BYTES).fill((byte) 0);
        request.set(JAVA_INT, LENGTH, length);
        request.set(JAVA_INT, OPCODE, opcode);
        request.set(JAVA_LONG, UNIQUE, unique);
        request.set(JAVA_LONG, NODE, node);
    }
}
