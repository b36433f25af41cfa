package dev.forebay.transfer;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Waits for a file from one worker. Gives the worker up if it does not say that it is alive, does
 * not begin, or sends too slowly.
 *
 * <p>Each piece of the file is watched like the answer to a read ({@link HedgedRead}). A worker
 * that stops in the middle is thus noticed as soon as one that never began. Not thread-safe.
 */
final class WatchedDownload {

    private static final long TICK_NANOS = 50_000_000;

    private final RegionFilesConfig config;
    private final Probes probes;
    private final WorkerNode worker;
    private final boolean last;
    private final boolean probed;
    private final Duration firstByte;

    private long markNanos;
    private long markBytes;

    /**
     * @param last whether there is no other worker to ask; the worker may be slow then
     * @param probed whether the worker must say that it is alive before it begins
     * @param firstByte the time in which the worker must begin to send
     */
    WatchedDownload(
            RegionFilesConfig config,
            Probes probes,
            WorkerNode worker,
            boolean last,
            boolean probed,
            Duration firstByte) {
        this.config = config;
        this.probes = probes;
        this.worker = worker;
        this.last = last;
        this.probed = probed;
        this.firstByte = firstByte;
    }

    WorkerNode worker() {
        return worker;
    }

    /** Returns the timeout of the wait for a permit. */
    Duration timeout() {
        return firstByte;
    }

    /**
     * Waits for the end of a download.
     *
     * @throws ForebayException {@code UNAVAILABLE} if the worker was given up
     */
    void await(Exchanges.Exchange<?> exchange, FileReceiver file) {
        long start = System.nanoTime();
        awaitBeginning(exchange, file, start);
        markNanos = System.nanoTime();
        while (!exchange.ended()) {
            giveUpIf(trickles(file.received()), "sends too slowly");
            giveUpIf(since(start) > config.transfer().toNanos(), "takes too long");
            exchange.awaitNanos(TICK_NANOS);
        }
    }

    private void awaitBeginning(Exchanges.Exchange<?> exchange, FileReceiver file, long start) {
        CompletableFuture<Boolean> probe = null;
        long nextProbe = start + config.reads().hedgeAfter().toNanos();
        while (!exchange.ended() && !file.began()) {
            if (probe != null && probe.isDone()) {
                giveUpIf(!probe.join(), "does not answer");
                probe = null;
            }
            if (probed && probe == null && nextProbe - System.nanoTime() <= 0) {
                probe = probes.ask(worker);
                nextProbe = System.nanoTime() + config.reads().silence().toNanos();
            }
            giveUpIf(since(start) > firstByte.toNanos(), "takes too long to begin");
            exchange.awaitNanos(TICK_NANOS);
        }
    }

    private boolean trickles(long received) {
        long silence = config.reads().silence().toNanos();
        long rate = config.reads().slowestBytesPerSecond();
        long step = last ? 1 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(silence) * rate / 1000);
        if (received - markBytes >= step) {
            markBytes = received;
            markNanos = System.nanoTime();
        }
        long allowed = last ? config.reads().totalTimeout().toNanos() : 2 * silence;
        return since(markNanos) > allowed;
    }

    private static long since(long nanos) {
        return System.nanoTime() - nanos;
    }

    private void giveUpIf(boolean sure, String why) {
        if (sure) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "worker %s %s, so the download was aborted: retry".formatted(worker.id(), why));
        }
    }
}
