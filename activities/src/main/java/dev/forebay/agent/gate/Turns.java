package dev.forebay.agent.gate;

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
 * Who is asked for when: everybody once in an interval, several at once. Whoever answers late, or
 * never, holds up nobody: a round waits for no answer, and who cannot wait for one is judged
 * without it. That is counted from when a question is sent: one that waits for its turn while
 * others are answered will have an answer, too. Nothing is remembered but since when each waits.
 * Rounds are for one thread.
 *
 * @param <K> what is asked for
 * @param <W> who waits for it
 * @param <A> an answer
 */
final class Turns<K, W, A> {

    private static final Logger LOG = Logger.getLogger(Turns.class);

    /** By then an agent has seen all who waited when it began. */
    private static final long BEGINNING_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final long intervalNanos;
    private final Executor asking;
    private final Executor judging;
    private final LongSupplier nanoTime;
    private final Map<K, Turn<W>> turns = new ConcurrentHashMap<>();

    /** When somebody was answered last; the beginning, if nobody was. */
    private volatile long heard;

    private final long begun;

    /** What is asked, and what comes of it. Called by several threads at once. */
    interface Question<K, W, A> {

        /** Asks, and waits for the answer. */
        A ask(K what);

        /** Whether somebody has said this, so that others may hope for an answer, too. */
        boolean isSaid(A answer);

        /** Whether somebody has waited for so long that he is judged, though nobody answers. */
        boolean isLate(K what, W who, Duration waited);

        /** Returns how long a new entry has waited already, under another agent. */
        default Duration waitedBefore(K what, W who) {
            return Duration.ZERO;
        }

        /**
         * Does what comes of it. Of two answers for the same, or an answer and none, one is judged.
         *
         * @param waited since it is known, here or before
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

        /** When nobody asks for it, or judges it, any more. Written by rounds only. */
        private CompletableFuture<?> quiet = CompletableFuture.completedFuture(null);

        private Turn(long since, long now, W who) {
            this.since = since;
            this.next = now;
            this.who = who;
        }
    }

    /** A question that is on its way, or waits until others are answered. */
    private static final class Asked {

        private final long queued;
        private volatile OptionalLong sent = OptionalLong.empty();
        private final AtomicBoolean judged = new AtomicBoolean();

        private Asked(long queued) {
            this.queued = queued;
        }

        /**
         * For how long, in nanoseconds, nobody has answered it who could have.
         *
         * @param heard when somebody was answered last
         */
        long unanswered(long now, long heard) {
            OptionalLong since = sent;
            return since.isPresent()
                    ? now - since.getAsLong()
                    : Math.min(now - queued, now - heard);
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
        this.begun = nanoTime.getAsLong();
        this.heard = begun;
    }

    /** With so many questions, and so many judgements, under way at most. */
    static <K, W, A> Turns<K, W, A> of(Duration interval, int atOnce, LongSupplier nanoTime) {
        return new Turns<>(interval, new AtOnce(atOnce), new AtOnce(atOnce), nanoTime);
    }

    /**
     * Goes round once, and waits for nothing that it has begun.
     *
     * @param waiting all who wait
     * @param question asked for those whose turn it is
     * @param forget called once nobody asks for it, or judges it, any more, for what was waited for
     *     the last time, and is not now, with who waited
     */
    void round(Map<K, W> waiting, Question<K, W, A> question, BiConsumer<K, W> forget) {
        turns.forEach(
                (what, turn) -> {
                    if (!turn.leaving && !waiting.containsKey(what)) {
                        turn.leaving = true;
                        var _ =
                                turn.quiet
                                        .handleAsync((_, _) -> leave(what, turn, forget), asking)
                                        .exceptionally(noThread -> stay(what, turn, noThread));
                    }
                });
        long now = nanoTime.getAsLong();
        waiting.forEach(
                (what, who) -> {
                    Turn<W> turn =
                            turns.computeIfAbsent(
                                    what,
                                    _ -> new Turn<>(since(what, who, question, now), now, who));
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
                        judgeWithout(what, turn, asked, question);
                    }
                });
    }

    /**
     * Returns since when a new entry waits. An entry that was there before this process keeps the
     * time that it has waited. Any other has come just now, whatever a clock elsewhere says.
     */
    private long since(K what, W who, Question<K, W, A> question, long now) {
        if (now - begun > BEGINNING_NANOS) {
            return now;
        }
        long before = question.waitedBefore(what, who).toNanos();
        return before > now - begun ? now - before : now;
    }

    private @Nullable Void leave(K what, Turn<W> turn, BiConsumer<K, W> forget) {
        try {
            forget.accept(what, turn.who);
        } catch (RuntimeException | Error e) {
            LOG.errorf(e, "%s is not taken back", what);
        } finally {
            turns.remove(what, turn);
        }
        return null;
    }

    /** The next round tries again. Questions and judgements that saw it leave have done nothing. */
    private @Nullable Void stay(K what, Turn<W> turn, Throwable noThread) {
        turn.asked.set(null);
        turn.leaving = false;
        LOG.errorf(noThread, "%s is not taken back yet", what);
        return null;
    }

    private void put(K what, Turn<W> turn, Asked asked, Question<K, W, A> question) {
        turn.asked.set(asked);
        CompletableFuture<Void> answered;
        try {
            answered =
                    CompletableFuture.runAsync(
                            () -> {
                                // Else nobody wants to know any more.
                                if (!turn.leaving && !asked.judged.get()) {
                                    ask(what, turn, asked, question);
                                }
                            },
                            asking);
        } catch (RuntimeException | Error noThread) {
            turn.asked.set(null);
            throw noThread;
        }
        turn.quiet = CompletableFuture.allOf(turn.quiet, answered);
    }

    private void ask(K what, Turn<W> turn, Asked asked, Question<K, W, A> question) {
        try {
            asked.sent = OptionalLong.of(nanoTime.getAsLong());
            A answer = question.ask(what);
            if (question.isSaid(answer)) {
                heard = nanoTime.getAsLong();
            }
            if (asked.claim()) {
                judge(what, turn, asked, question, Optional.of(answer));
            }
        } catch (RuntimeException | Error e) {
            LOG.errorf(e, "%s is not asked for", what);
            turn.asked.compareAndSet(asked, null);
        }
    }

    private boolean isOverdue(
            K what, Turn<W> turn, Asked asked, Question<K, W, A> question, long now) {
        return asked.unanswered(now, heard) >= intervalNanos
                && question.isLate(what, turn.who, Duration.ofNanos(now - turn.since))
                && asked.claim();
    }

    private void judgeWithout(K what, Turn<W> turn, Asked asked, Question<K, W, A> question) {
        CompletableFuture<Void> judged;
        try {
            judged =
                    CompletableFuture.runAsync(
                            () -> {
                                // Else there is nobody to judge.
                                if (!turn.leaving) {
                                    judge(what, turn, asked, question, Optional.empty());
                                }
                            },
                            judging);
        } catch (RuntimeException | Error noThread) {
            // Else it has been judged, for all that rounds can see.
            turn.asked.compareAndSet(asked, null);
            throw noThread;
        }
        turn.quiet = CompletableFuture.allOf(turn.quiet, judged);
    }

    private void judge(
            K what, Turn<W> turn, Asked asked, Question<K, W, A> question, Optional<A> answer) {
        try {
            Duration waited = Duration.ofNanos(nanoTime.getAsLong() - turn.since);
            question.judge(what, turn.who, waited, answer);
        } catch (RuntimeException | Error e) {
            LOG.errorf(e, "%s is not judged", what);
        } finally {
            // From now on it is asked for again.
            turn.asked.compareAndSet(asked, null);
        }
    }
}
