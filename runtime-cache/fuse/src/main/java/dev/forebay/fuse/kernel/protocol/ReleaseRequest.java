package dev.forebay.fuse.kernel.protocol;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** RELEASEDIR: {@code struct fuse_release_in}, of which only the first field matters. */
public final class ReleaseRequest {

    private ReleaseRequest() {}

    /** Returns the handle from the answer to OPENDIR. */
    public static long handle(MemorySegment request) {
        return request.get(JAVA_LONG, RequestHeader.BYTES);
    }
}
