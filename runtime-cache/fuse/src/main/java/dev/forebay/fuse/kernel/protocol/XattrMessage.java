package dev.forebay.fuse.kernel.protocol;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * GETXATTR and LISTXATTR: {@code struct fuse_getxattr_in}, followed by the name in GETXATTR, and
 * {@code struct fuse_getxattr_out} for an answer that is only a size.
 */
public final class XattrMessage {

    /** The position of the name in a GETXATTR. */
    public static final int NAME = RequestHeader.BYTES + 2 * Integer.BYTES;

    public static final int REPLY_BYTES = 2 * Integer.BYTES;

    private XattrMessage() {}

    /** Returns the size of the caller's buffer in bytes; 0 asks for the required size. */
    public static int size(MemorySegment request) {
        return request.get(JAVA_INT, RequestHeader.BYTES);
    }

    public static void writeSize(MemorySegment memory, long at, int size) {
        memory.set(JAVA_LONG, at, 0);
        memory.set(JAVA_INT, at, size);
    }
}
