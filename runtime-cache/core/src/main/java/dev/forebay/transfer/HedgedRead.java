package dev.forebay.transfer;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads from one worker, and uses another one if the first is slow or does not answer.
 *
 * <p>After a short time, it asks the next worker for the same bytes, but only for a stored copy. No
 * chunk is thus fetched from the lake twice. The first answer wins ("hedged requests": Dean and
 * Barroso, "The Tail at Scale", Communications of the ACM 56(2), 2013). At the same time, it asks
 * the first worker whether it is alive. If that worker does not answer, or sends too slowly, it is
 * given up, and the caller asks the next one for the bytes. The read waits for a worker that
 * answers, because that worker may be waiting for the lake. Safe for use by many threads.
 */
final class HedgedRead {

    private static final long TICK_NANOS = 50_000_000;

    private final WorkerClient client;
    private final RegionReaderConfig config;
    private final SuspectWorkers suspects;
    private final Probes probes;
    private final HedgeBudget budget;
    private final ReadEvents events;

    HedgedRead(
            WorkerClient client,
            RegionReaderConfig config,
            SuspectWorkers suspects,
            Probes probes,
            HedgeBudget budget,
            ReadEvents events) {
        this.client = client;
        this.config = config;
        this.suspects = suspects;
        this.probes = probes;
        this.budget = budget;
        this.events = events;
    }

    /** A worker and its answer. */
    record Answered(WorkerNode worker, ReadAnswer answer) {}

    /**
     * Reads as {@link WorkerClient#read} does.
     *
     * @param request to the worker
     * @param next the same to the next worker, for a copy only; null if there is none after this
     *     one
     * @param others whether there are other workers, even before this one; if not, the read waits
     *     until the timeout
     * @return empty if the request is for a copy only and the worker has none
     * @throws ForebayException {@code UNAVAILABLE} if the worker was given up, or the code of its
     *     refusal
     */
    Optional<Answered> run(
            RangeRequest request,
            @Nullable RangeRequest next,
            boolean others,
            ByteBuffer target,
            Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean suspectedBefore = suspects.suspected(request.worker());
        budget.earn();
        RangeRequest.Pending first = client.begin(request, target, timeout);
        try {
            long left = deadline - System.nanoTime();
            first.exchange()
                    .awaitNanos(others ? Math.min(config.hedgeAfter().toNanos(), left) : left);
            if (first.exchange().ended() || !others) {
                return answered(first);
            }
            return watch(first, next, target, deadline, suspectedBefore);
        } finally {
            first.abandon();
        }
    }

    private static Optional<Answered> answered(RangeRequest.Pending first) {
        return first.result().map(answer -> new Answered(first.worker(), answer));
    }

    private Optional<Answered> watch(
            RangeRequest.Pending first,
            @Nullable RangeRequest next,
            ByteBuffer target,
            long deadline,
            boolean suspectedBefore) {
        Hedge hedge = next != null && mayAsk(next.worker()) ? new Hedge(next) : null;
        try {
            CompletableFuture<Boolean> probe = probes.ask(first.worker());
            long nextProbe = System.nanoTime() + config.silence().toNanos();
            while (!first.exchange().ended()) {
                if (hedge != null && hedge.ended()) {
                    Optional<ReadAnswer> answer = hedge.result();
                    events.hedged(hedge.worker, answer.isPresent());
                    if (answer.isPresent()) {
                        first.abandon();
                        target.put(hedge.bytes.flip());
                        return Optional.of(new Answered(hedge.worker, answer.get()));
                    }
                    hedge.close();
                    hedge = null;
                }
                if (probe.isDone()) {
                    giveUpIf(!probe.join(), first, "does not answer");
                    if (nextProbe - System.nanoTime() <= 0) {
                        probe = probes.ask(first.worker());
                        nextProbe = System.nanoTime() + config.silence().toNanos();
                    }
                }
                giveUpIf(
                        !suspectedBefore && suspects.suspected(first.worker()),
                        first,
                        "delays other requests");
                // The last worker may be slow, because the others were not better.
                if (next != null && trickles(first)) {
                    suspects.suspect(first.worker());
                    giveUpIf(true, first, "sends too slowly");
                }
                giveUpIf(deadline - System.nanoTime() <= 0, first, "takes too long");
                awaitEither(first, hedge);
            }
            return answered(first);
        } finally {
            if (hedge != null) {
                hedge.close();
            }
        }
    }

    /** A suspected worker would not answer either, and use up the budget. */
    private boolean mayAsk(WorkerNode worker) {
        return !suspects.suspected(worker) && budget.take();
    }

    private boolean trickles(RangeRequest.Pending first) {
        long atSlowest = TimeUnit.SECONDS.toNanos(first.wanted()) / config.slowestBytesPerSecond();
        return first.bodyNanos() > config.silence().toNanos() + atSlowest;
    }

    private static void giveUpIf(boolean sure, RangeRequest.Pending first, String why) {
        if (sure) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "worker %s %s; asking another worker".formatted(first.worker().id(), why));
        }
    }

    private static void awaitEither(RangeRequest.Pending first, @Nullable Hedge hedge) {
        CompletableFuture<?> either =
                hedge == null
                        ? first.exchange().end()
                        : CompletableFuture.anyOf(first.exchange().end(), hedge.end());
        try {
            Object _ = either.get(TICK_NANOS, TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException lookAgain) {
            // The loop checks both.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
    }

    /** The request to the second worker, with a buffer of its own for the answer. */
    private final class Hedge {
        private final WorkerNode worker;
        private final ByteBuffer bytes;
        private final RangeRequest.@Nullable Pending pending;

        Hedge(RangeRequest request) {
            worker = request.worker();
            bytes = ByteBuffer.allocate(request.range().length());
            pending = begin(request);
        }

        private RangeRequest.@Nullable Pending begin(RangeRequest request) {
            try {
                return client.begin(request, bytes, Duration.ZERO);
            } catch (ForebayException tooBusy) {
                return null;
            }
        }

        boolean ended() {
            return pending == null || pending.exchange().ended();
        }

        CompletableFuture<?> end() {
            return pending == null
                    ? CompletableFuture.completedFuture(null)
                    : pending.exchange().end();
        }

        Optional<ReadAnswer> result() {
            if (pending == null) {
                return Optional.empty();
            }
            try {
                return pending.result();
            } catch (ForebayException e) {
                events.failedAttempt(pending.worker(), e);
                return Optional.empty();
            }
        }

        void close() {
            if (pending != null) {
                pending.abandon();
            }
        }
    }
}
