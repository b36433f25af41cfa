package dev.forebay.operator;

import dev.forebay.thread.ShutdownSignal;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * The work of the leader. From its creation to its close, the Operator SDK reconciles each resource
 * at every change and at intervals. The SDK's own election is not used: it leaves the Lease to
 * expire, and ends the process with the leadership.
 */
final class LeaderTerm implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(LeaderTerm.class);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(15);

    /** How long to wait for all resources before the first of them is reconciled. */
    private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

    /** The pause after the SDK gave up its watch, as for an answer that it cannot read. */
    private static final Duration RESTART_PAUSE = Duration.ofSeconds(10);

    /** How long {@link #close} waits for the end of reconciliations, which are interrupted. */
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private final KubernetesClient client;
    private final DatasetReconciler reconciler;
    private final Duration interval;
    private final int concurrency;
    private final ShutdownSignal closing = new ShutdownSignal();
    private final Thread thread = Thread.ofVirtual().name("datasets-term").unstarted(this::run);

    /**
     * @param client is not closed with this
     * @param interval between reconciliations without a reason
     * @param concurrency how many resources are reconciled at once
     */
    LeaderTerm(
            KubernetesClient client,
            DatasetReconciler reconciler,
            Duration interval,
            int concurrency) {
        this.client = client;
        this.reconciler = reconciler;
        this.interval = interval;
        this.concurrency = concurrency;
        thread.start();
    }

    private void run() {
        do {
            try {
                watch();
            } catch (RuntimeException e) {
                LOG.errorf(
                        e,
                        "The watch of Datasets failed, and starts again in %d s",
                        RESTART_PAUSE.toSeconds());
            }
        } while (!closing.within(RESTART_PAUSE));
    }

    /** Returns at the close, or when the SDK has given up its watch. */
    private void watch() {
        AtomicBoolean ended = new AtomicBoolean();
        Operator operator = operator(ended);
        try {
            operator.start();
            do {
                if (!operator.getRuntimeInfo().allEventSourcesAreHealthy()) {
                    LOG.warnf(
                            "Cannot watch Datasets at the moment. If this continues, check the "
                                    + "definition %s and the rights of this account.",
                            DatasetClient.DEFINITION);
                }
            } while (!closing.within(interval) && !ended.get());
        } finally {
            operator.stop();
        }
    }

    private Operator operator(AtomicBoolean ended) {
        Operator operator =
                new Operator(
                        settings ->
                                settings.withKubernetesClient(client)
                                        .withCloseClientOnStop(false)
                                        .withConcurrentReconciliationThreads(concurrency)
                                        // Retries also the first request, for example without a
                                        // definition.
                                        .withStopOnInformerErrorDuringStartup(false)
                                        .withCacheSyncTimeout(START_TIMEOUT)
                                        // The SDK's own handler ends the process.
                                        .withInformerStoppedHandler(
                                                (_, failure) -> {
                                                    if (failure != null) {
                                                        LOG.errorf("Watch ended: %s", failure);
                                                        ended.set(true);
                                                    }
                                                }));
        operator.register(
                reconciler,
                settings ->
                        settings.withFinalizer(DatasetClient.FINALIZER)
                                .withFieldManager(DatasetClient.MANAGER)
                                .withInformerListLimit(DatasetClient.PAGE)
                                .withReconciliationMaxInterval(interval)
                                .withRetry(retry()));
        return operator;
    }

    /** Retries without end, because only the next success describes the resource. */
    private GenericRetry retry() {
        Duration longest = interval.compareTo(LONGEST_PAUSE) < 0 ? interval : LONGEST_PAUSE;
        return new GenericRetry()
                .setInitialInterval(FIRST_PAUSE)
                .setIntervalMultiplier(2)
                .setMaxInterval(longest.toMillis())
                .withoutMaxAttempts();
    }

    /** Starts no more reconciliations, and interrupts running ones. */
    @Override
    public void close() {
        closing.begin();
        try {
            thread.join(FAREWELL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
