package dev.forebay.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Tests run each question and judgement themselves, so nothing runs concurrently. */
class PollSchedulerTest {

    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final String ONE = "one";

    private final Queue<Runnable> questions = new ArrayDeque<>();
    private final Queue<Runnable> judgements = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private final List<String> judged = new ArrayList<>();
    private final List<String> forgotten = new ArrayList<>();
    private Runnable whileAsked = () -> {};
    private Runnable whileJudged = () -> {};
    private boolean said = true;
    private boolean threads = true;
    private long now = Long.MAX_VALUE - 5;
    private final PollScheduler<String, String, String> turns =
            new PollScheduler<>(INTERVAL, running(questions), running(judgements), () -> now);

    private final class Question implements PollScheduler.Question<String, String, String> {

        @Override
        public String ask(String what) {
            whileAsked.run();
            asked.add(what);
            return "answer";
        }

        @Override
        public boolean isSaid(String answer) {
            return said;
        }

        @Override
        public boolean isLate(String what, String who, Duration waited) {
            return waited.compareTo(DEADLINE) >= 0;
        }

        @Override
        public void judge(String what, String who, Duration waited, Optional<String> answer) {
            whileJudged.run();
            judged.add("%s by %s".formatted(what, answer.orElse("nothing")));
        }
    }

    private Executor running(Queue<Runnable> tasks) {
        return task -> {
            if (!threads) {
                throw new OutOfMemoryError("simulated");
            }
            tasks.add(task);
        };
    }

    private void round(String... waiting) {
        Map<String, String> all = new LinkedHashMap<>();
        for (String what : waiting) {
            all.put(what, "who waits for " + what);
        }
        turns.round(all, new Question(), (what, _) -> forgotten.add(what));
    }

    private void after(Duration time, String... waiting) {
        now += time.toNanos();
        round(waiting);
    }

    private static void runOne(Queue<Runnable> tasks) {
        tasks.remove().run();
    }

    private static void runAll(Queue<Runnable> tasks) {
        while (!tasks.isEmpty()) {
            runOne(tasks);
        }
    }

    /** This happens when there is no memory for another request. */
    @Test
    void aQuestionThatFailedWithAnErrorIsSentAgain() {
        whileAsked =
                () -> {
                    throw new OutOfMemoryError("simulated");
                };
        round(ONE);
        runAll(questions);
        whileAsked = () -> {};
        after(INTERVAL, ONE);
        runAll(questions);
        assertThat(judged).containsExactly("one by answer");
    }

    @Test
    void aQueuedQuestionIsNotJudgedWhileOthersAreAnswered() {
        round(ONE, "two", "three");
        after(DEADLINE, ONE, "two", "three");
        runAll(judgements);
        assertThat(judged).as("no key got an answer").hasSize(3);
        judged.clear();
        runAll(questions);

        after(INTERVAL, ONE, "two", "three");
        now += INTERVAL.toNanos() - 1;
        runOne(questions);
        after(Duration.ofSeconds(1), "two", "three");
        assertThat(judgements).isEmpty();

        runAll(questions);
        assertThat(judged).containsExactly("one by answer", "two by answer", "three by answer");
    }

    @Test
    void anErrorAnswerDoesNotExtendTheWaitOfOtherKeys() {
        said = false;
        round(ONE, "two");
        now += DEADLINE.toNanos();
        runOne(questions);
        after(Duration.ofSeconds(1), "two");

        runAll(judgements);

        assertThat(judged).containsExactly("one by answer", "two by nothing");
    }

    @Test
    void aKeyIsForgottenAfterItsRunningJudgement() {
        round(ONE);
        after(DEADLINE, ONE);
        whileJudged =
                () -> {
                    round();
                    runAll(questions);
                    assertThat(forgotten).isEmpty();
                };

        runAll(judgements);
        assertThat(judged).containsExactly("one by nothing");
        runAll(questions);

        assertThat(forgotten).containsExactly(ONE);
        assertThat(asked).isEmpty();
    }

    @Test
    void aKeyThatLeavesBeforeItsJudgementIsNotJudged() {
        round(ONE);
        after(DEADLINE, ONE);
        round();
        runAll(questions);
        assertThat(forgotten).isEmpty();

        runAll(judgements);
        runAll(questions);

        assertThat(judged).isEmpty();
        assertThat(forgotten).containsExactly(ONE);
    }

    @Test
    void aKeyIsJudgedLaterIfNoThreadIsAvailable() {
        round(ONE);
        threads = false;
        assertThatThrownBy(() -> after(DEADLINE, ONE)).isInstanceOf(OutOfMemoryError.class);
        threads = true;

        after(INTERVAL, ONE);
        after(INTERVAL, ONE);
        runAll(judgements);

        assertThat(judged).containsExactly("one by nothing");
    }

    @Test
    void aKeyIsForgottenLaterIfNoThreadIsAvailable() {
        round(ONE);
        runAll(questions);
        threads = false;
        round();
        threads = true;
        assertThat(forgotten).isEmpty();

        round();
        runAll(questions);

        assertThat(forgotten).containsExactly(ONE);
    }

    @Test
    void aKeyThatReturnsBeforeItWasForgottenIsPolledAgain() {
        round(ONE);
        threads = false;
        round();
        runAll(questions);
        threads = true;

        after(INTERVAL, ONE);
        runAll(questions);

        assertThat(judged).containsExactly("one by answer");
    }
}
