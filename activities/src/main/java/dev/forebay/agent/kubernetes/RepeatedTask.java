package dev.forebay.agent.kubernetes;

import dev.forebay.thread.Closing;
import java.time.Duration;
import org.jboss.logging.Logger;

/** Repeats a task with a pause after each run, until closed. */
final class RepeatedTask implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(RepeatedTask.class);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

    private final String name;
    private final Duration pause;
    private final Runnable round;
    private final Closing closing = new Closing();

    /**
     * @param name the task's name, for logs
     * @param round the task; a failed run is repeated
     */
    RepeatedTask(String name, Duration pause, Runnable round) {
        this.name = name;
        this.pause = pause;
        this.round = round;
    }

    void start() {
        Thread.ofVirtual().name(name).start(this::run);
    }

    private void run() {
        Duration next;
        do {
            next = runSafely() || pause.compareTo(AFTER_FAILURE) < 0 ? pause : AFTER_FAILURE;
        } while (!closing.within(next));
    }

    private boolean runSafely() {
        try {
            round.run();
            return true;
        } catch (RuntimeException e) {
            LOG.warnf("The %s tries again: %s", name, e.getMessage());
            return false;
        } catch (Error e) {
            // Memory may be too short for another thread, for example. No other thread would
            // continue the task.
            LOG.errorf(e, "The %s tries again", name);
            return false;
        }
    }

    @Override
    public void close() {
        closing.begin();
    }
}
