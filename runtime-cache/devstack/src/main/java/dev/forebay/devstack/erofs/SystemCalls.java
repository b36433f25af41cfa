package dev.forebay.devstack.erofs;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** System calls that Java has no method for. */
final class SystemCalls {

    // These newer system calls have the same numbers on x86-64 and aarch64.
    static final int MOVE_MOUNT = 429;
    static final int FSOPEN = 430;
    static final int FSCONFIG = 431;
    static final int FSMOUNT = 432;

    private static final int ARGUMENTS = 5;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle SYSCALL =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("syscall"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG),
                    Linker.Option.firstVariadicArg(1),
                    Linker.Option.captureCallState("errno"));
    private static final VarHandle ERRNO =
            Linker.Option.captureStateLayout()
                    .varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle CLOSE =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("close"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private SystemCalls() {}

    /** Makes a system call with up to five arguments. The other arguments are 0. */
    static long call(int number, long... arguments) throws SyscallException {
        long[] all = Arrays.copyOf(arguments, ARGUMENTS);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Linker.Option.captureStateLayout());
            long result =
                    (long)
                            SYSCALL.invokeExact(
                                    state, (long) number, all[0], all[1], all[2], all[3], all[4]);
            if (result < 0) {
                throw new SyscallException(number, (int) ERRNO.get(state, 0L));
            }
            return result;
        } catch (SyscallException e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    static void close(long descriptor) {
        try {
            int ignored = (int) CLOSE.invokeExact((int) descriptor);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
