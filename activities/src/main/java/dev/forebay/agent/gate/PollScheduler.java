package dev.forebay.agent.gate;

import dev.forebay.thread.CatchAll;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Polls the answers for all waiting keys, each once per interval, several at once. Slow or missing
 * answers delay no other key, because a round waits for no answer. A waiter whose deadline has
 * passed is judged without an answer. The time for an answer counts from when the question is sent,
 * so a question that is queued behind answered ones gets its answer, too. The only state is the
 * time since which each key waits. Rounds are for one thread.
 *
 * @param <K> the key of a question
 * @param <W> the waiter
 * @param <A> an answer
 */
final class PollScheduler<K, W, A> {

    private static final Logger LOG = Logger.getLogger(PollScheduler.class);

    /** The time after which an agent has seen every entry that waited when it started. */
    private static final long BEGINNING_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final long intervalNanos;
    private final Executor asking;
    private final Executor judging;
    private final LongSupplier nanoTime;
    private final Map<K, Poll<W>> polls = new ConcurrentHashMap<>();

    /** When the last answer of any key arrived; the start, if none did. */
    private volatile long lastAnswer;

    private final long begun;

    /** The question and the consequence of its answer. Called by several threads at once. */
    interface Question<K, W, A> {

        /** Sends the question and waits for the answer. */
        A ask(K what);

        /**
         * Returns whether the other side has really answered, so that other keys may expect an
         * answer, too.
         */
        boolean isSaid(A answer);

        /** Returns whether a waiter has waited so long that it is judged even without an answer. */
        boolean isLate(K what, W who, Duration waited);

        /** Returns how long a new entry has waited already, under another agent. */
        default Duration waitedBefore(K what, W who) {
            return Duration.ZERO;
        }

        /**
         * Acts on an answer, or on its absence. Each question is judged once.
         *
         * @param waited since the entry is known, here or before
         * @param answer empty if there was none for a whole interval
         */
        void judge(K what, W who, Duration waited, Optional<A> answer);
    }

    /** The state of a waiting key. */
    private static final class Poll<W> {

        /** In nanoseconds of a monotonic clock, as all times here. */
        private final long since;

        private long next;
        private volatile W who;
        private volatile boolean leaving;
        private final AtomicReference<@Nullable Asked> asked = new AtomicReference<>();

        /**
         * Completes when no question or judgement of this key runs any more. Written by rounds
         * only.
         */
        private CompletableFuture<?> quiet = CompletableFuture.completedFuture(null);

        private Poll(long since, long now, W who) {
            this.since = since;
            this.next = now;
            this.who = who;
        }
    }

    /** A question that was sent or is queued. */
    private static final class Asked {

        private final long queued;
        private volatile OptionalLong sent = OptionalLong.empty();
        private final AtomicBoolean judged = new AtomicBoolean();

        private Asked(long queued) {
            this.queued = queued;
        }

        /**
         * Returns for how many nanoseconds the other side has had the chance to answer and did not.
         *
         * @param lastAnswer when the last answer of any key arrived
         */
        long unanswered(long now, long lastAnswer) {
            OptionalLong since = sent;
            return since.isPresent()
                    ? now - since.getAsLong()
                    : Math.min(now - queued, now - lastAnswer);
        }

        /** Returns whether the caller may judge the question. True for the first caller only. */
        boolean claim() {
            return judged.compareAndSet(false, true);
        }
    }

    /**
     * @param interval between two questions of a key, and the timeout of an answer after which a
     *     late waiter is judged without it
     * @param asking runs questions
     * @param judging runs judgements without an answer
     */
    PollScheduler(Duration interval, Executor asking, Executor judging, LongSupplier nanoTime) {
        this.intervalNanos = interval.toNanos();
        this.asking = asking;
        this.judging = judging;
        this.nanoTime = nanoTime;
        this.begun = nanoTime.getAsLong();
        this.lastAnswer = begun;
    }

    /** Returns an instance with at most this many questions, and as many judgements, at once. */
    static <K, W, A> PollScheduler<K, W, A> of(
            Duration interval, int atOnce, LongSupplier nanoTime) {
        return new PollScheduler<>(
                interval, new BoundedTasks(atOnce), new BoundedTasks(atOnce), nanoTime);
    }

    /**
     * Runs one round. It waits for nothing that it starts.
     *
     * @param waiting all waiters by key
     * @param question sent for the keys that are due
     * @param forget called with the key and the last waiter for each key that no longer waits, once
     *     no question or judgement of it runs
     */
    void round(Map<K, W> waiting, Question<K, W, A> question, BiConsumer<K, W> forget) {
        polls.forEach(
                (what, poll) -> {
                    if (!poll.leaving && !waiting.containsKey(what)) {
                        poll.leaving = true;
                        var _ =
                                poll.quiet
                                        .handleAsync((_, _) -> leave(what, poll, forget), asking)
                                        .exceptionally(noThread -> keep(what, poll, noThread));
                    }
                });
        long now = nanoTime.getAsLong();
        waiting.forEach(
                (what, who) -> {
                    Poll<W> poll =
                            polls.computeIfAbsent(
                                    what,
                                    _ -> new Poll<>(since(what, who, question, now), now, who));
                    poll.who = who;
                    Asked asked = poll.asked.get();
                    if (poll.leaving) {
                        // The entry has returned already. Its earlier request is cancelled first.
                        return;
                    }
                    if (asked == null && poll.next - now <= 0) {
                        poll.next = now + intervalNanos;
                        put(what, poll, new Asked(now), question);
                    } else if (asked != null && isOverdue(what, poll, asked, question, now)) {
                        judgeWithout(what, poll, asked, question);
                    }
                });
    }

    /**
     * Returns since when a new entry waits. An entry that is older than this process keeps its
     * earlier wait. Any other has just arrived, even if another clock disagrees.
     */
    private long since(K what, W who, Question<K, W, A> question, long now) {
        if (now - begun > BEGINNING_NANOS) {
            return now;
        }
        long before = question.waitedBefore(what, who).toNanos();
        return before > now - begun ? now - before : now;
    }

    private @Nullable Void leave(K what, Poll<W> poll, BiConsumer<K, W> forget) {
        boolean _ =
                CatchAll.run(
                        () -> forget.accept(what, poll.who),
                        e -> LOG.errorf(e, "Cannot cancel the request of %s", what));
        polls.remove(what, poll);
        return null;
    }

    /**
     * Keeps the entry, so that the next round tries again. Questions and judgements that saw {@code
     * leaving} have done nothing.
     */
    private @Nullable Void keep(K what, Poll<W> poll, Throwable noThread) {
        poll.asked.set(null);
        poll.leaving = false;
        LOG.errorf(noThread, "Cannot cancel the request of %s yet: no thread is free", what);
        return null;
    }

    private void put(K what, Poll<W> poll, Asked asked, Question<K, W, A> question) {
        poll.asked.set(asked);
        Runnable asks =
                () -> {
                    // Otherwise the answer is no longer needed.
                    if (!poll.leaving && !asked.judged.get()) {
                        ask(what, poll, asked, question);
                    }
                };
        CompletableFuture<Void> answered =
                CatchAll.closeOnFailure(
                        () -> poll.asked.set(null), () -> CompletableFuture.runAsync(asks, asking));
        poll.quiet = CompletableFuture.allOf(poll.quiet, answered);
    }

    private void ask(K what, Poll<W> poll, Asked asked, Question<K, W, A> question) {
        boolean _ =
                CatchAll.run(
                        () -> {
                            asked.sent = OptionalLong.of(nanoTime.getAsLong());
                            A answer = question.ask(what);
                            if (question.isSaid(answer)) {
                                lastAnswer = nanoTime.getAsLong();
                            }
                            if (asked.claim()) {
                                judge(what, poll, asked, question, Optional.of(answer));
                            }
                        },
                        e -> {
                            poll.asked.compareAndSet(asked, null);
                            LOG.errorf(e, "Cannot send the request of %s", what);
                        });
    }

    private boolean isOverdue(
            K what, Poll<W> poll, Asked asked, Question<K, W, A> question, long now) {
        return asked.unanswered(now, lastAnswer) >= intervalNanos
                && question.isLate(what, poll.who, Duration.ofNanos(now - poll.since))
                && asked.claim();
    }

    private void judgeWithout(K what, Poll<W> poll, Asked asked, Question<K, W, A> question) {
        Runnable judges =
                () -> {
                    // Otherwise the waiter is gone.
                    if (!poll.leaving) {
                        judge(what, poll, asked, question, Optional.empty());
                    }
                };
        // Without a thread, rounds would otherwise believe that the question was judged.
        CompletableFuture<Void> judged =
                CatchAll.closeOnFailure(
                        () -> poll.asked.compareAndSet(asked, null),
                        () -> CompletableFuture.runAsync(judges, judging));
        poll.quiet = CompletableFuture.allOf(poll.quiet, judged);
    }

    private void judge(
            K what, Poll<W> poll, Asked asked, Question<K, W, A> question, Optional<A> answer) {
        boolean _ =
                CatchAll.run(
                        () -> {
                            Duration waited = Duration.ofNanos(nanoTime.getAsLong() - poll.since);
                            question.judge(what, poll.who, waited, answer);
                        },
                        e -> LOG.errorf(e, "Cannot decide about %s", what));
        // Lets the next round send the question again.
        poll.asked.compareAndSet(asked, null);
    }
}
