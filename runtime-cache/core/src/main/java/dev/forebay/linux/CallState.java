package dev.forebay.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** Where calls leave their error number. For one thread at a time; who calls often keeps one. */
public final class CallState {

    static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");

    private static final StructLayout LAYOUT = Linker.Option.captureStateLayout();
    private static final long ERRNO = LAYOUT.byteOffset(PathElement.groupElement("errno"));

    private final MemorySegment segment = Arena.ofAuto().allocate(LAYOUT);

    /** What is passed to a function of {@link CLibrary} before its own arguments. */
    public MemorySegment segment() {
        return segment;
    }

    /** The error number of the last call that failed; without meaning after one that did not. */
    public int errno() {
        return segment.get(JAVA_INT, ERRNO);
    }

    /** The exception that says so. */
    public SystemCallException failed(String call) {
        return new SystemCallException(call, errno());
    }
}
