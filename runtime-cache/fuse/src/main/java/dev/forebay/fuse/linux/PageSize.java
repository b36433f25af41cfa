package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.CallState;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** The size of a memory page. */
public final class PageSize {

    private static final MethodHandle GETPAGESIZE =
            CLibrary.function("getpagesize", FunctionDescriptor.of(JAVA_INT));

    private PageSize() {}

    /** Returns the size in bytes: 4 KiB on x86-64, up to 64 KiB on aarch64. */
    public static int bytes() {
        CallState state = new CallState();
        return CLibrary.makeInt(() -> (int) GETPAGESIZE.invokeExact(state.segment()));
    }
}
