package dev.forebay.agent.gate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Who is asked for when: everybody once in an interval, several at once. Nothing is remembered but
 * since when each is known. For one thread.
 *
 * @param <K> what is asked for
 * @param <W> who waits for it
 */
final class Turns<K, W> {

    private final long intervalNanos;
    private final int atOnce;
    private final LongSupplier nanoTime;
    private final Map<K, Turn> turns = new HashMap<>();

    /** In nanoseconds of a clock that only goes forward. */
    private record Turn(long since, long next) {}

    /** Asks for something on behalf of who waits for it, and has been known to for so long. */
    @FunctionalInterface
    interface Question<K, W> {

        void ask(K what, W who, Duration waited);
    }

    /**
     * @param interval between two questions for the same
     * @param atOnce how many questions are under way at most
     */
    Turns(Duration interval, int atOnce, LongSupplier nanoTime) {
        this.intervalNanos = interval.toNanos();
        this.atOnce = atOnce;
        this.nanoTime = nanoTime;
    }

    /**
     * Goes round once, and returns when all that it has called have returned.
     *
     * @param waiting all who wait
     * @param question asked for those whose turn it is
     * @param forget called before, for what was waited for the last time, and is not any more
     */
    void round(Map<K, W> waiting, Question<K, W> question, Consumer<K> forget) {
        Set<K> gone = new HashSet<>(turns.keySet());
        gone.removeAll(waiting.keySet());
        turns.keySet().removeAll(gone);
        severalAtOnce(gone.stream().<Runnable>map(what -> () -> forget.accept(what)).toList());
        List<Runnable> questions = new ArrayList<>();
        long now = nanoTime.getAsLong();
        waiting.forEach(
                (what, who) -> {
                    Turn turn = turns.getOrDefault(what, new Turn(now, now));
                    if (turn.next() - now <= 0) {
                        turns.put(what, new Turn(turn.since(), now + intervalNanos));
                        Duration waited = Duration.ofNanos(now - turn.since());
                        questions.add(() -> question.ask(what, who, waited));
                    }
                });
        severalAtOnce(questions);
    }

    private void severalAtOnce(List<Runnable> tasks) {
        try (ExecutorService executor =
                Executors.newFixedThreadPool(atOnce, Thread.ofVirtual().factory())) {
            tasks.forEach(executor::execute);
        }
    }
}
