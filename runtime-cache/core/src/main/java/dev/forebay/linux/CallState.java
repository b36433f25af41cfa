package dev.forebay.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * Receives the error number of system calls. Not thread-safe. Code that calls often should keep one
 * for each thread.
 */
public final class CallState {

    static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");

    private static final StructLayout LAYOUT = Linker.Option.captureStateLayout();
    private static final long ERRNO = LAYOUT.byteOffset(PathElement.groupElement("errno"));

    private final MemorySegment segment = Arena.ofAuto().allocate(LAYOUT);

    /** Returns the segment to pass to a function of {@link CLibrary} before its own arguments. */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Returns the error number of the last call that failed. It is undefined after a call that
     * succeeded.
     */
    public int errno() {
        return segment.get(JAVA_INT, ERRNO);
    }

    /**
     * Throws if a call has failed.
     *
     * @param result of the call, negative if it failed
     * @param call the call's name
     * @param target what the call is about; converted to a string only for the message
     */
    public void check(long result, String call, Object target) throws SystemCallException {
        if (result < 0) {
            throw failed(call + " " + target);
        }
    }

    /** Returns an exception with the name of the call and its error number. */
    public SystemCallException failed(String call) {
        return new SystemCallException(call, errno());
    }
}
