package dev.forebay.suite;

import java.time.Duration;

/**
 * Follows the processor time of a command that ends by itself: afterwards the kernel adds it to
 * what this process has waited for, where that of other commands is, too.
 */
final class CpuMeter {
    private static final Duration EVERY = Duration.ofMillis(250);

    private final ProcessTree tree;
    private volatile double most;
    private final Thread thread;

    private CpuMeter(ProcessTree tree) {
        this.tree = tree;
        this.thread = Thread.ofPlatform().daemon().name("processor time").start(this::follow);
    }

    static CpuMeter of(ProcessTree tree) {
        return new CpuMeter(tree);
    }

    private void follow() {
        try {
            while (tree.root().isAlive()) {
                most = Math.max(most, tree.cpuSeconds());
                Thread.sleep(EVERY);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The most that was seen, in seconds. */
    double stop() {
        thread.interrupt();
        return most;
    }
}
