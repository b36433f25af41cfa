package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.CallState;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * A platform thread that another thread can interrupt in a system call, which then fails with
 * EINTR.
 *
 * <p>It uses a real-time signal with a handler that does nothing, installed without SA_RESTART.
 * Neither the C library nor the JVM uses that signal (they use 32, 33 and 62).
 */
public final class BlockedThread {

    private static final int SIGNAL = 61;

    /** {@code struct sigaction}, see sigaction(2). */
    private static final StructLayout SIGACTION =
            MemoryLayout.structLayout(
                    ADDRESS.withName("sa_handler"),
                    MemoryLayout.paddingLayout(128).withName("sa_mask"),
                    JAVA_INT.withName("sa_flags"),
                    MemoryLayout.paddingLayout(4),
                    ADDRESS.withName("sa_restorer"));

    private static final MethodHandle GETTID =
            CLibrary.function("gettid", FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle TGKILL =
            CLibrary.function(
                    "tgkill", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle CHANGE_HANDLER =
            CLibrary.function(
                    "sigaction", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));

    static {
        installHandler();
    }

    private final int thread;

    private BlockedThread(int thread) {
        this.thread = thread;
    }

    private static void installHandler() {
        CallState state = new CallState();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment action = arena.allocate(SIGACTION);
            // A C function that takes an int and has no effect can be a handler, and needs no Java.
            action.set(
                    ADDRESS,
                    SIGACTION.byteOffset(PathElement.groupElement("sa_handler")),
                    CLibrary.address("abs"));
            int result =
                    CLibrary.makeInt(
                            () ->
                                    (int)
                                            CHANGE_HANDLER.invokeExact(
                                                    state.segment(),
                                                    SIGNAL,
                                                    action,
                                                    MemorySegment.NULL));
            if (result < 0) {
                throw new AssertionError(state.failed("sigaction"));
            }
        }
    }

    /** Returns the calling thread, which must be a platform thread. */
    public static BlockedThread current() {
        CallState state = new CallState();
        return new BlockedThread(CLibrary.makeInt(() -> (int) GETTID.invokeExact(state.segment())));
    }

    /**
     * Interrupts the thread if it is in a system call now. A thread that enters a call a moment
     * later is not interrupted, so callers repeat this until they see the effect. Only for threads
     * that have not ended.
     */
    public void wake() {
        int process = Math.toIntExact(ProcessHandle.current().pid());
        CallState state = new CallState();
        int _ =
                CLibrary.makeInt(
                        () -> (int) TGKILL.invokeExact(state.segment(), process, thread, SIGNAL));
    }
}
