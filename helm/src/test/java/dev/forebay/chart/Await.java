package dev.forebay.chart;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits for a condition, with a time limit. */
final class Await {

    private static final Duration BOUND = Duration.ofSeconds(90);
    private static final Duration STEP = Duration.ofMillis(100);

    private Await() {}

    /**
     * Waits until no assertion fails and the API server has the requested objects. After the time
     * limit it throws the last failure.
     */
    static void untilAsserted(Runnable assertions) {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (true) {
            try {
                assertions.run();
                return;
            } catch (AssertionError | KubernetesClientException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
            }
            LockSupport.parkNanos(STEP.toNanos());
        }
    }
}
