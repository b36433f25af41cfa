package dev.forebay.agent.gate;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Who is asked for when: everybody once in an interval, several at once. Whoever answers late, or
 * never, holds up nobody: a round waits for no answer, and who cannot wait for one is judged
 * without it. Nothing is remembered but since when each is known. Rounds are for one thread.
 *
 * @param <K> what is asked for
 * @param <W> who waits for it
 * @param <A> an answer
 */
final class Turns<K, W, A> {

    private static final Logger LOG = Logger.getLogger(Turns.class);

    private final long intervalNanos;
    private final Executor asking;
    private final Executor judging;
    private final LongSupplier nanoTime;
    private final Map<K, Turn<W>> turns = new ConcurrentHashMap<>();

    /** What is asked, and what comes of it. Called by several threads at once. */
    interface Question<K, W, A> {

        /** Asks, and waits for the answer. */
        A ask(K what);

        /** Whether somebody has waited for so long that he is judged, though nobody answers. */
        boolean isLate(K what, W who, Duration waited);

        /**
         * Does what comes of it. Of two answers for the same, or an answer and none, one is judged.
         *
         * @param waited since it is known
         * @param answer empty if there was none for a whole interval
         */
        void judge(K what, W who, Duration waited, Optional<A> answer);
    }

    /** What is known of one who waits. */
    private static final class Turn<W> {

        /** In nanoseconds of a clock that only goes forward, as all times here. */
        private final long since;

        private long next;
        private volatile W who;
        private volatile boolean leaving;
        private final AtomicReference<@Nullable Asked> asked = new AtomicReference<>();

        /** When nobody asks for it any more. */
        private CompletableFuture<?> quiet = CompletableFuture.completedFuture(null);

        private Turn(long since, W who) {
            this.since = since;
            this.next = since;
            this.who = who;
        }
    }

    /** A question that is on its way, or waits until others are answered. */
    private static final class Asked {

        private final long at;
        private final AtomicBoolean judged = new AtomicBoolean();

        private Asked(long at) {
            this.at = at;
        }

        /** Whether it is for the caller to judge. */
        boolean claim() {
            return judged.compareAndSet(false, true);
        }
    }

    /**
     * @param interval between two questions for the same, and how long an answer may take before
     *     who is late is judged without it
     * @param asking runs questions
     * @param judging runs judgements without an answer
     */
    Turns(Duration interval, Executor asking, Executor judging, LongSupplier nanoTime) {
        this.intervalNanos = interval.toNanos();
        this.asking = asking;
        this.judging = judging;
        this.nanoTime = nanoTime;
    }

    /** With so many questions, and so many judgements, under way at most. */
    static <K, W, A> Turns<K, W, A> of(Duration interval, int atOnce, LongSupplier nanoTime) {
        return new Turns<>(interval, severalAtOnce(atOnce), severalAtOnce(atOnce), nanoTime);
    }

    /** Who has come first is first. */
    private static Executor severalAtOnce(int atOnce) {
        Semaphore free = new Semaphore(atOnce, true);
        return task ->
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    free.acquireUninterruptibly();
                                    try {
                                        task.run();
                                    } finally {
                                        free.release();
                                    }
                                });
    }

    /**
     * Goes round once, and waits for nothing that it has begun.
     *
     * @param waiting all who wait
     * @param question asked for those whose turn it is
     * @param forget called once nobody asks for it any more, for what was waited for the last time,
     *     and is not now
     */
    void round(Map<K, W> waiting, Question<K, W, A> question, Consumer<K> forget) {
        turns.forEach(
                (what, turn) -> {
                    if (!turn.leaving && !waiting.containsKey(what)) {
                        turn.leaving = true;
                        var _ =
                                turn.quiet.whenCompleteAsync(
                                        (_, _) -> leave(what, turn, forget), asking);
                    }
                });
        long now = nanoTime.getAsLong();
        waiting.forEach(
                (what, who) -> {
                    Turn<W> turn = turns.computeIfAbsent(what, _ -> new Turn<>(now, who));
                    turn.who = who;
                    Asked asked = turn.asked.get();
                    if (turn.leaving) {
                        // Is back already: what it has asked for is taken back first.
                        return;
                    }
                    if (asked == null && turn.next - now <= 0) {
                        turn.next = now + intervalNanos;
                        put(what, turn, new Asked(now), question);
                    } else if (asked != null && isOverdue(what, turn, asked, question, now)) {
                        judging.execute(() -> judge(what, turn, asked, question, Optional.empty()));
                    }
                });
    }

    private void leave(K what, Turn<W> turn, Consumer<K> forget) {
        try {
            forget.accept(what);
        } catch (RuntimeException e) {
            LOG.errorf(e, "%s is not taken back", what);
        } finally {
            turns.remove(what, turn);
        }
    }

    private void put(K what, Turn<W> turn, Asked asked, Question<K, W, A> question) {
        turn.asked.set(asked);
        CompletableFuture<Void> answered =
                CompletableFuture.runAsync(
                        () -> {
                            // Else nobody wants to know any more.
                            if (!turn.leaving && !asked.judged.get()) {
                                ask(what, turn, asked, question);
                            }
                        },
                        asking);
        turn.quiet = CompletableFuture.allOf(turn.quiet, answered);
    }

    private void ask(K what, Turn<W> turn, Asked asked, Question<K, W, A> question) {
        try {
            A answer = question.ask(what);
            if (asked.claim()) {
                judge(what, turn, asked, question, Optional.of(answer));
            }
        } catch (RuntimeException e) {
            LOG.errorf(e, "%s is not asked for", what);
            turn.asked.compareAndSet(asked, null);
        }
    }

    private boolean isOverdue(
            K what, Turn<W> turn, Asked asked, Question<K, W, A> question, long now) {
        return now - asked.at >= intervalNanos
                && question.isLate(what, turn.who, Duration.ofNanos(now - turn.since))
                && asked.claim();
    }

    private void judge(
            K what, Turn<W> turn, Asked asked, Question<K, W, A> question, Optional<A> answer) {
        try {
            Duration waited = Duration.ofNanos(nanoTime.getAsLong() - turn.since);
            question.judge(what, turn.who, waited, answer);
        } catch (RuntimeException e) {
            LOG.errorf(e, "%s is not judged", what);
        } finally {
            // From now on it is asked for again.
            turn.asked.compareAndSet(asked, null);
        }
    }
}
