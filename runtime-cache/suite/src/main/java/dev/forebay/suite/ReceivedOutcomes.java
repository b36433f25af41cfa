package dev.forebay.suite;

import dev.forebay.suite.fork.TestOutcome;
import dev.forebay.suite.fork.TestOutcome.Status;
import java.util.ArrayList;
import java.util.List;

/** The outcomes that a test JVM has sent so far of the class that it runs. Thread-safe. */
final class ReceivedOutcomes {
    private final List<TestOutcome> outcomes = new ArrayList<>();
    private final List<String> running = new ArrayList<>();
    private boolean stopped;

    synchronized void add(TestOutcome outcome) {
        if (stopped) {
            return;
        }
        if (outcome.status() == Status.STARTED) {
            running.add(outcome.name());
        } else {
            running.remove(outcome.name());
            outcomes.add(outcome);
        }
    }

    /** Ignores later outcomes: a test that starts after the limit is not the one that hangs. */
    synchronized void stop() {
        stopped = true;
    }

    synchronized List<TestOutcome> outcomes() {
        return List.copyOf(outcomes);
    }

    /**
     * Returns the names of the tests that have started and not ended, or another text if there are
     * none.
     */
    synchronized String running(String otherwise) {
        return running.isEmpty() ? otherwise : String.join(", ", running);
    }
}
