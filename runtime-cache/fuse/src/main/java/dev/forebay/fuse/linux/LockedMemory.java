package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.CallState;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory that is resident: touched, and locked against swapping if that is permitted.
 *
 * <p>Keep it and use it again. Freed memory goes back to the C library, which cannot return locked
 * memory to the kernel. The next allocation comes from the arena of another thread. A pod that
 * allocated a buffer for each short-lived thread had 139 MB locked while 52 MB were in use.
 */
public final class LockedMemory {

    private static final Logger LOG = LoggerFactory.getLogger(LockedMemory.class);
    private static final long PAGE = 4096;
    private static final AtomicBoolean REFUSED = new AtomicBoolean();

    private static final MethodHandle MLOCK =
            CLibrary.function("mlock", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));

    private LockedMemory() {}

    /**
     * Allocates whole pages, which are freed when they are no longer referenced. Any thread may use
     * them.
     */
    public static MemorySegment allocate(long bytes) {
        long size = Math.ceilDiv(bytes, PAGE) * PAGE;
        // Allocation fills memory with zeros, which touches every page.
        MemorySegment memory = Arena.ofAuto().allocate(size, PAGE);
        CallState state = new CallState();
        int result = CLibrary.makeInt(() -> (int) MLOCK.invokeExact(state.segment(), memory, size));
        if (result < 0 && REFUSED.compareAndSet(false, true)) {
            LOG.info(
                    "{}; request buffers can be swapped out (raise the memlock limit)",
                    state.failed("mlock").getMessage());
        }
        return memory;
    }
}
