package dev.forebay.fuse.jnr;

import dev.forebay.fuse.fs.OpenFile;
import dev.forebay.fuse.fs.RecentFailures;
import dev.forebay.linux.Buffers;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import dev.forebay.thread.CatchAll;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads with a timeout, because libfuse expects the bytes or an error from the thread that it
 * calls. Another thread reads bytes that are not on this node, into its own buffer. After a timeout
 * that thread continues, and its bytes are available to the next request. Thread-safe.
 */
final class TimedReads {

    /** The maximum number of slow reads at once. Further reads queue, within the same timeout. */
    private static final int AT_ONCE = 64;

    private static final long IDLE_SECONDS = 10;

    private final int maxBytes;
    private final Duration timeout;
    private final Buffers buffers;
    private final RecentFailures failures = new RecentFailures();
    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(
                    AT_ONCE,
                    AT_ONCE,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().daemon().name("slow-read-", 0).factory());

    /**
     * @param maxBytes the maximum size of a read
     * @param timeout the timeout of a read
     */
    TimedReads(int maxBytes, Duration timeout) {
        this.maxBytes = maxBytes;
        this.timeout = timeout;
        this.buffers = new Buffers(maxBytes);
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Same as {@link OpenFile#read}, with a timeout.
     *
     * @param target at most the configured number of bytes; not accessed after this method returns
     * @throws ForebayException also {@code UNAVAILABLE} after the timeout
     */
    int read(OpenFile file, long offset, ByteBuffer target) {
        int wanted = target.remaining();
        if (wanted > maxBytes) {
            throw new IllegalArgumentException(wanted + " bytes, at most " + maxBytes);
        }
        if (file.isHere(offset, wanted)) {
            return file.read(offset, target);
        }
        long now = System.nanoTime();
        long deadline = failures.deadline(file, offset, wanted, now + timeout.toNanos());
        if (deadline - now <= 0) {
            throw tooLate(null);
        }
        ByteBuffer own = buffers.take().limit(wanted);
        FutureTask<Integer> reading = new FutureTask<>(() -> file.read(offset, own));
        threads.execute(reading);
        int bytes =
                CatchAll.closeOnFailure(
                        () -> {
                            failures.add(file, offset, wanted, deadline);
                            if (reading.state() == Future.State.FAILED) {
                                buffers.give(own);
                            }
                        },
                        () -> await(reading, deadline - now));
        target.put(own.flip());
        buffers.give(own);
        return bytes;
    }

    private ForebayException tooLate(@Nullable TimeoutException cause) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE, "not answered within " + Seconds.of(timeout), cause);
    }

    private int await(FutureTask<Integer> reading, long nanos) {
        try {
            return reading.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            giveUp(reading);
            throw tooLate(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error failure) {
                throw failure;
            }
            throw e.getCause() instanceof RuntimeException failure
                    ? failure
                    : new IllegalStateException(e);
        } catch (InterruptedException e) {
            giveUp(reading);
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
    }

    /**
     * Abandons a read. One that has begun continues: an interrupt would close the files that it
     * reads.
     */
    private void giveUp(FutureTask<Integer> reading) {
        boolean _ = reading.cancel(false);
        boolean _ = threads.remove(reading);
    }
}
