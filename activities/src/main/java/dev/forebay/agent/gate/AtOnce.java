package dev.forebay.agent.gate;

import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

/**
 * Runs each task on a virtual thread of its own, so many at once; who has come first is first. Safe
 * for use by many threads.
 */
final class AtOnce implements Executor {

    private final Semaphore free;

    /**
     * @param most tasks under way at once; others wait
     */
    AtOnce(int most) {
        free = new Semaphore(most, true);
    }

    @Override
    public void execute(Runnable task) {
        var _ =
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
}
