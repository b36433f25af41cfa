package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.CallState;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** The user and the group that this process acts as. */
public record Identity(int user, int group) {

    private static final MethodHandle GETEUID =
            CLibrary.function("geteuid", FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle GETEGID =
            CLibrary.function("getegid", FunctionDescriptor.of(JAVA_INT));

    /** Returns the effective user and group of this process. */
    public static Identity ofThisProcess() {
        CallState state = new CallState();
        return new Identity(
                CLibrary.makeInt(() -> (int) GETEUID.invokeExact(state.segment())),
                CLibrary.makeInt(() -> (int) GETEGID.invokeExact(state.segment())));
    }
}
