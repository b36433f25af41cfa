package dev.forebay.transfer;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Waits for a file from one worker, and gives the worker up if waiting is in vain: it does not say
 * that it is there, does not begin, or sends nothing or too slowly after that. Every so many bytes
 * are watched like the answer to a read ({@link WatchedRead}), so that one that stops in the middle
 * is noticed as soon as one that never began. For one thread.
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
     * @param last whether there is no other worker to ask: then it may be slow
     * @param probed whether it must say that it is there before it begins
     * @param firstByte how long it may take to begin
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

    /** How long its turn may be waited for. */
    Duration patience() {
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
                    ErrorCode.UNAVAILABLE, "worker %s %s; given up".formatted(worker.id(), why));
        }
    }
}
