package dev.forebay.agent.gate;

import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

/**
 * Runs each task on a virtual thread, a bounded number at once, in order of arrival. Safe for use
 * by many threads.
 */
final class BoundedTasks implements Executor {

    private final Semaphore free;

    /**
     * @param most the most tasks that run at once; others wait
     */
    BoundedTasks(int most) {
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
