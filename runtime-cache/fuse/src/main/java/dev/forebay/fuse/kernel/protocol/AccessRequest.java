package dev.forebay.fuse.kernel.protocol;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/** ACCESS: {@code struct fuse_access_in}. */
public final class AccessRequest {

    public static final int X_OK = 1;
    public static final int W_OK = 2;

    private AccessRequest() {}

    /** Returns the permissions that the caller asks for. */
    public static int mask(MemorySegment request) {
        return request.get(JAVA_INT, RequestHeader.BYTES);
    }
}
