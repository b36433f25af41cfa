package dev.forebay.fuse.jnr;

import dev.forebay.fuse.fs.OpenFile;
import dev.forebay.fuse.fs.RecentFailures;
import dev.forebay.linux.Buffers;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
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
 * Reads that end in time: libfuse wants the bytes, or an error, from the thread that it calls. What
 * is not on this node is read by another thread, into memory of its own; if that takes too long it
 * goes on by itself, and what it reads is there for who asks again. Safe for use by many threads.
 */
final class TimedReads {

    /** How many go on at once; others wait for them, and not longer than for bytes. */
    private static final int AT_ONCE = 64;

    private static final long IDLE_SECONDS = 10;

    private final int maxBytes;
    private final Duration patience;
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
     * @param maxBytes how many bytes one reader asks for at most
     * @param patience how long a reader waits at most
     */
    TimedReads(int maxBytes, Duration patience) {
        this.maxBytes = maxBytes;
        this.patience = patience;
        this.buffers = new Buffers(maxBytes);
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * As {@link OpenFile#read}.
     *
     * @param target with room for at most so many bytes as were said; not touched any more when
     *     this has returned
     * @throws ForebayException also with {@code UNAVAILABLE} if the time is up
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
        long deadline = failures.deadline(file, offset, wanted, now + patience.toNanos());
        if (deadline - now <= 0) {
            throw tooLate(null);
        }
        ByteBuffer own = buffers.take().limit(wanted);
        FutureTask<Integer> reading = new FutureTask<>(() -> file.read(offset, own));
        threads.execute(reading);
        int bytes;
        try {
            bytes = await(reading, deadline - now);
        } catch (TimeoutException e) {
            giveUp(reading);
            failures.add(file, offset, wanted, deadline);
            throw tooLate(e);
        } catch (RuntimeException | Error e) {
            failures.add(file, offset, wanted, deadline);
            if (reading.state() == Future.State.FAILED) {
                buffers.give(own);
            }
            throw e;
        }
        target.put(own.flip());
        buffers.give(own);
        return bytes;
    }

    private ForebayException tooLate(@Nullable TimeoutException cause) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE, "not answered within " + Seconds.of(patience), cause);
    }

    private int await(FutureTask<Integer> reading, long nanos) throws TimeoutException {
        try {
            return reading.get(nanos, TimeUnit.NANOSECONDS);
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

    /** If it has begun it goes on: to interrupt it would close the files that it reads from. */
    private void giveUp(FutureTask<Integer> reading) {
        boolean _ = reading.cancel(false);
        boolean _ = threads.remove(reading);
    }
}
