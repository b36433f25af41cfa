package dev.forebay.operator;

import dev.forebay.operator.Reconciler.Next;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jboss.logging.Logger;

/**
 * The work of the leader. From its creation to its close it reconciles each resource at every
 * change and at intervals.
 */
final class Term implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Term.class);

    /** The progress of a fill causes no event, so it must be polled. */
    private static final Duration SOON = Duration.ofSeconds(5);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** Bounds the doubling of pauses. The interval bounds them, too. */
    private static final int MOST_DOUBLINGS = 10;

    private final Reconciler reconciler;
    private final Duration interval;
    private final MeterRegistry registry;
    private final WorkQueue<Key> queue = new WorkQueue<>(System::nanoTime);
    private final Map<Key, Integer> failures = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final SharedIndexInformer<DatasetResource> informer;

    /**
     * @param interval between reconciliations without a reason
     * @param concurrency how many resources are reconciled at once
     */
    Term(
            DatasetResources resources,
            Reconciler reconciler,
            Duration interval,
            int concurrency,
            MeterRegistry registry) {
        this.reconciler = reconciler;
        this.interval = interval;
        this.registry = registry;
        for (int i = 0; i < concurrency; i++) {
            threads.execute(this::work);
        }
        informer = resources.watch(key -> queue.add(key, Duration.ZERO));
    }

    private void work() {
        try {
            Optional<Key> next = queue.take();
            while (next.isPresent()) {
                Key key = next.get();
                try {
                    schedule(key, lookSafely(key));
                } finally {
                    queue.done(key);
                }
                next = queue.take();
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private Next lookSafely(Key key) {
        Next next;
        try {
            next = reconciler.look(key);
        } catch (KubernetesClientException e) {
            next = Next.AFTER_PAUSE;
            // Conflicts and interruptions are expected.
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT && !threads.isShutdown()) {
                LOG.warnf("Dataset %s cannot be looked at: %s", key, e.getMessage());
            }
        } catch (RuntimeException | Error e) {
            next = Next.AFTER_PAUSE;
            LOG.errorf(e, "Dataset %s cannot be looked at", key);
        }
        String outcome = next == Next.AFTER_PAUSE ? "failed" : "done";
        registry.counter(Operator.LOOKS, "outcome", outcome).increment();
        return next;
    }

    private void schedule(Key key, Next next) {
        if (next != Next.AFTER_PAUSE) {
            failures.remove(key);
        }
        switch (next) {
            case NEVER -> {
                // The next change of the resource adds it again.
            }
            case SOON -> queue.add(key, shorter(SOON));
            case LATER -> queue.add(key, interval);
            case AFTER_PAUSE -> queue.add(key, pause(failures.merge(key, 1, Integer::sum)));
        }
    }

    private Duration pause(int inARow) {
        return shorter(FIRST_PAUSE.multipliedBy(1L << Math.min(inARow - 1, MOST_DOUBLINGS)));
    }

    private Duration shorter(Duration pause) {
        return pause.compareTo(interval) < 0 ? pause : interval;
    }

    /** Starts no more reconciliations, and interrupts running ones. */
    @Override
    public void close() {
        informer.close();
        queue.close();
        threads.shutdownNow();
    }
}
