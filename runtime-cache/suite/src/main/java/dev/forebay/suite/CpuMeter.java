package dev.forebay.suite;

import java.time.Duration;

/**
 * Samples the processor time of a command while it runs. Afterwards the kernel has added it to the
 * time of all children of this process, where the shares of the commands cannot be told apart.
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

    /** Stops and returns the largest sample, in seconds. */
    double stop() {
        thread.interrupt();
        return most;
    }
}
