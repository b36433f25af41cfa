package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.CallState;
import dev.forebay.linux.SystemCallException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/** Makes system calls that the C libraries of current distributions do not wrap. */
final class SystemCall {

    private static final int MOST_ARGUMENTS = 6;

    private static final MethodHandle SYSCALL =
            CLibrary.variadic(
                    "syscall",
                    1,
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                            JAVA_LONG, JAVA_LONG));

    private SystemCall() {}

    /**
     * Makes a system call. Too slow for frequent calls.
     *
     * @param what the purpose and the object of the call, for the error message
     * @param number the same on every architecture since Linux 5.0
     * @param arguments at most six; pointers as addresses
     */
    static long make(String what, long number, long... arguments) throws SystemCallException {
        long[] a = Arrays.copyOf(arguments, MOST_ARGUMENTS);
        CallState state = new CallState();
        long result =
                CLibrary.makeLong(
                        () ->
                                (long)
                                        SYSCALL.invokeExact(
                                                state.segment(),
                                                number,
                                                a[0],
                                                a[1],
                                                a[2],
                                                a[3],
                                                a[4],
                                                a[5]));
        if (result < 0) {
            throw state.failed(what);
        }
        return result;
    }
}
