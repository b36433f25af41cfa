package dev.forebay.fuse.kernel.protocol;

import static dev.forebay.fuse.kernel.protocol.Layouts.offset;
import static dev.forebay.fuse.kernel.protocol.Layouts.spare;
import static dev.forebay.fuse.kernel.protocol.Layouts.u32;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The offer of a kernel: {@code struct fuse_init_in}, which ended after {@code flags} before 7.36.
 *
 * @param maxReadahead in bytes
 * @param flags see {@link InitFlags}
 */
public record InitRequest(int major, int minor, int maxReadahead, long flags) {

    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(
                    u32("major"),
                    u32("minor"),
                    u32("max_readahead"),
                    u32("flags"),
                    u32("flags2"),
                    spare(44));

    private static final long FLAGS2 = offset(LAYOUT, "flags2");
    private static final long LOW = 0xffffffffL;

    /**
     * Reads an offer.
     *
     * @param request the request with its header
     * @param bytes the length of the request
     */
    public static InitRequest read(MemorySegment request, long bytes) {
        MemorySegment body = request.asSlice(RequestHeader.BYTES, bytes - RequestHeader.BYTES);
        long flags = body.get(JAVA_INT, offset(LAYOUT, "flags")) & LOW;
        if ((flags & InitFlags.INIT_EXT) != 0 && body.byteSize() >= FLAGS2 + Integer.BYTES) {
            flags |= (long) body.get(JAVA_INT, FLAGS2) << 32;
        }
        return new InitRequest(
                body.get(JAVA_INT, offset(LAYOUT, "major")),
                body.get(JAVA_INT, offset(LAYOUT, "minor")),
                body.get(JAVA_INT, offset(LAYOUT, "max_readahead")),
                flags);
    }
}
