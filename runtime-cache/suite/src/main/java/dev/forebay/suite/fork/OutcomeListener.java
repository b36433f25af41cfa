package dev.forebay.suite.fork;

import dev.forebay.suite.fork.TestOutcome.Status;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Collects the outcomes of the tests of one class. Thread-safe. */
final class OutcomeListener implements TestExecutionListener {
    private final Map<String, Long> begun = new ConcurrentHashMap<>();
    private final List<TestOutcome> outcomes = new ArrayList<>();

    @Override
    public void executionStarted(TestIdentifier test) {
        begun.put(test.getUniqueId(), System.nanoTime());
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        add(test, Status.SKIPPED, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (test.isTest()) {
                    add(test, Status.PASSED, "");
                }
            }
            // A failed or aborted container has no outcomes of the tests within.
            case FAILED ->
                    add(test, Status.FAILED, result.getThrowable().map(this::trace).orElse(""));
            case ABORTED ->
                    add(
                            test,
                            Status.SKIPPED,
                            result.getThrowable().map(Throwable::getMessage).orElse(""));
        }
    }

    private synchronized void add(TestIdentifier test, Status status, String detail) {
        Long start = begun.get(test.getUniqueId());
        long millis = start == null ? 0 : (System.nanoTime() - start) / 1_000_000;
        outcomes.add(
                new TestOutcome(
                        test.getDisplayName(), status, detail == null ? "" : detail, millis));
    }

    private String trace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    synchronized void writeTo(DataOutputStream out) throws IOException {
        out.writeInt(outcomes.size());
        for (TestOutcome outcome : outcomes) {
            outcome.writeTo(out);
        }
        out.flush();
    }
}
