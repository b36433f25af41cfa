package dev.forebay.suite.fork;

import dev.forebay.suite.fork.TestOutcome.Status;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Sends the start and the outcome of each test of one class at once, so the runner knows them even
 * if the JVM crashes during the class. A true precedes each outcome, and a false ends the class.
 * Thread-safe.
 */
final class OutcomeListener implements TestExecutionListener {
    private final Map<String, Long> begun = new ConcurrentHashMap<>();
    private final DataOutputStream out;

    OutcomeListener(DataOutputStream out) {
        this.out = out;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        begun.put(test.getUniqueId(), System.nanoTime());
        if (test.isTest()) {
            send(test, Status.STARTED, "");
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        send(test, Status.SKIPPED, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (test.isTest()) {
                    send(test, Status.PASSED, "");
                }
            }
            // A failed or aborted container has no outcomes of the tests in it.
            case FAILED ->
                    send(test, Status.FAILED, result.getThrowable().map(this::trace).orElse(""));
            case ABORTED ->
                    send(
                            test,
                            Status.SKIPPED,
                            result.getThrowable().map(Throwable::getMessage).orElse(""));
        }
    }

    private synchronized void send(TestIdentifier test, Status status, String detail) {
        Long start = begun.get(test.getUniqueId());
        long millis = start == null ? 0 : (System.nanoTime() - start) / 1_000_000;
        TestOutcome outcome =
                new TestOutcome(
                        test.getDisplayName(), status, detail == null ? "" : detail, millis);
        try {
            out.writeBoolean(true);
            outcome.writeTo(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String trace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    synchronized void end() throws IOException {
        out.writeBoolean(false);
        out.flush();
    }
}
