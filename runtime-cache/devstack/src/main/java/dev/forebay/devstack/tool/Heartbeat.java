package dev.forebay.devstack.tool;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Says every quarter of a minute that something is still going on. */
final class Heartbeat implements AutoCloseable {
    private static final int SECONDS = 15;

    private final String what;
    private final Consumer<String> progress;
    private final CountDownLatch done = new CountDownLatch(1);

    Heartbeat(String what, Consumer<String> progress) {
        this.what = what;
        this.progress = progress;
    }

    void start() {
        Thread.ofVirtual().name("heartbeat").start(this::run);
    }

    private void run() {
        try {
            for (int elapsed = SECONDS;
                    !done.await(SECONDS, TimeUnit.SECONDS);
                    elapsed += SECONDS) {
                progress.accept("%s: %d s so far".formatted(what, elapsed));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        done.countDown();
    }
}
