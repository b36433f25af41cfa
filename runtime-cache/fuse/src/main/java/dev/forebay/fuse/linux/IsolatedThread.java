package dev.forebay.fuse.linux;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Makes system calls that touch a file system which this very process may serve.
 *
 * <p>A thread that waits for an answer of a FUSE server which has taken the request waits it out
 * and is deaf to signals ({@code request_wait_answer} in Linux's {@code fs/fuse/dev.c}). If that
 * server is its own process, and is killed, the thread would stay, and with it every descriptor of
 * the process: the device, so that the kernel goes on to hope for the answer, and the connection to
 * the holder, so that nobody learns of the death. The process would never be gone.
 *
 * <p>So these calls are made by a thread that has a table of descriptors of its own, in which there
 * is nothing but what the calls need. All the others close when the process is killed, the request
 * is ended or answered by a successor, and the thread ends.
 */
public final class IsolatedThread {

    /** The calls to make; they may use what is in this package and the JDK, for see below. */
    @FunctionalInterface
    public interface Calls {
        void make() throws SystemCallException;
    }

    /** {@code close_range} and its flag, see close_range(2); since Linux 5.9. */
    private static final long CLOSE_RANGE = 436;

    private static final long UNSHARE = 2;
    private static final long FIRST = 3;
    private static final long LAST = 0xFFFF_FFFFL;

    /**
     * Loaded before the thread needs them: it cannot read the files that classes come from, whose
     * descriptors it does not have either.
     */
    private static final List<Class<?>> NEEDED =
            List.of(
                    CLibrary.class,
                    CallState.class,
                    Descriptor.class,
                    ErrorNumber.class,
                    MountCalls.class,
                    SystemCall.class,
                    SystemCallException.class);

    static {
        try {
            for (Class<?> each : NEEDED) {
                Class<?> _ = Class.forName(each.getName());
            }
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private IsolatedThread() {}

    /**
     * Makes calls and waits until they are made.
     *
     * @param kept the descriptors that the calls need, beside those that they open themselves,
     *     which nobody else can use
     * @throws SystemCallException of the calls
     */
    public static void run(Calls calls, Descriptor... kept) throws SystemCallException {
        long[] numbers = Arrays.stream(kept).mapToLong(Descriptor::number).sorted().toArray();
        FutureTask<@Nullable SystemCallException> task =
                new FutureTask<>(
                        () -> {
                            try {
                                isolate(numbers);
                                calls.make();
                                return null;
                            } catch (SystemCallException e) {
                                return e;
                            }
                        });
        Thread.ofPlatform().daemon().name("isolated").start(task);
        SystemCallException failure = awaited(task);
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * From the end, so that the first call, which makes the table an own one, is one in any case.
     */
    private static void isolate(long[] kept) throws SystemCallException {
        long end = LAST;
        long flags = UNSHARE;
        for (int i = kept.length; i >= 0; i--) {
            long from = i == 0 ? FIRST : kept[i - 1] + 1;
            if (from <= end) {
                SystemCall.make("close_range", CLOSE_RANGE, from, end, flags);
                flags = 0;
            }
            end = from - 2;
        }
    }

    private static <T extends @Nullable Object> T awaited(FutureTask<T> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    // What the thread has begun cannot be taken back.
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw new IllegalStateException("a defect", e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
