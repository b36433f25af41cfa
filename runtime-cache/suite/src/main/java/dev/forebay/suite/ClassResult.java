package dev.forebay.suite;

import dev.forebay.suite.fork.TestOutcome;
import dev.forebay.suite.fork.TestOutcome.Status;
import java.nio.file.Path;
import java.util.List;

/**
 * The result of a class or of a job.
 *
 * @param name of the class, or of the job
 * @param module where it belongs, for sums
 * @param outcomes of its tests
 * @param seconds wall-clock time
 * @param cpuSeconds processor time of the JVM and of all processes that it started
 * @param log the output during the run
 */
record ClassResult(
        String name,
        String module,
        List<TestOutcome> outcomes,
        double seconds,
        double cpuSeconds,
        Path log) {
    ClassResult {
        outcomes = List.copyOf(outcomes);
    }

    long count(Status status) {
        return outcomes.stream().filter(outcome -> outcome.status() == status).count();
    }

    boolean failed() {
        return count(Status.FAILED) > 0;
    }
}
