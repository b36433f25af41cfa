package dev.forebay.operator;

import dev.forebay.thread.PeriodicTask;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Elects one of several replicas as leader by a Lease of the API server, and the next one when the
 * leader is gone. Safe for use by many threads.
 *
 * <p>Two replicas may both consider themselves the leader for a moment, if one was paused or clocks
 * differ. Their actions must tolerate that.
 */
final class Election implements AutoCloseable {

    /** The name of the Lease. The chart grants the right to it. */
    static final String LEASE = "forebay-datasets";

    private static final Logger LOG = Logger.getLogger(Election.class);

    // The values of Kubernetes' own controllers.
    private static final Duration LEASE_DURATION = Duration.ofSeconds(15);
    private static final Duration RENEW_DEADLINE = Duration.ofSeconds(10);
    private static final Duration RETRY_PERIOD = Duration.ofSeconds(2);

    /** How long {@link #close} waits for the Lease to be released. Otherwise the Lease expires. */
    private static final Duration FAREWELL = Duration.ofSeconds(5);

    private final KubernetesClient client;
    private final String replica;
    private final Supplier<Runnable> term;
    private final LeaderElectionConfig config;
    private final PeriodicTask task =
            new PeriodicTask(
                    Thread.ofVirtual().name("datasets-election"),
                    RETRY_PERIOD,
                    "This replica cannot take part in the election",
                    this::stand);

    /** Ends the term. Null while this replica does not lead. Guarded by this. */
    private @Nullable Runnable ending;

    /**
     * @param namespace of the Lease
     * @param replica the unique name of this replica, never used before
     * @param term begins to lead without blocking, and returns how to end that
     */
    Election(KubernetesClient client, String namespace, String replica, Supplier<Runnable> term) {
        this.client = client;
        this.replica = replica;
        this.term = term;
        this.config =
                new LeaderElectionConfigBuilder()
                        .withName(LEASE)
                        .withLock(new LeaseLock(namespace, LEASE, replica))
                        .withLeaseDuration(LEASE_DURATION)
                        .withRenewDeadline(RENEW_DEADLINE)
                        .withRetryPeriod(RETRY_PERIOD)
                        .withReleaseOnCancel(true)
                        .withLeaderCallbacks(
                                new LeaderCallbacks(
                                        this::begin,
                                        this::end,
                                        leader -> LOG.debugf("%s leads", leader)))
                        .build();
    }

    /** Starts the candidacy, which is repeated after each lost leadership until closed. */
    void start() {
        task.start();
    }

    /**
     * Returns when leadership was won and lost again, or when this is closed.
     *
     * <p>An elector serves one term, and tries until it gets it. It calls back while it holds its
     * own lock, and needs that lock to be cancelled. No thread may therefore cancel it while it
     * holds the lock of this object.
     */
    private void stand() throws InterruptedException {
        CompletableFuture<?> candidacy = client.leaderElector().withConfig(config).build().start();
        try {
            candidacy.get();
        } catch (ExecutionException e) {
            LOG.warnf("%s cannot take part in the election: %s", replica, e.getCause());
        } finally {
            candidacy.cancel(true);
            end();
        }
    }

    private synchronized void begin() {
        if (ending == null) {
            LOG.infof("%s reconciles Datasets", replica);
            ending = term.get();
        }
    }

    private synchronized void end() {
        Runnable last = ending;
        ending = null;
        if (last != null) {
            LOG.infof("%s does not reconcile Datasets any more", replica);
            last.run();
        }
    }

    synchronized boolean isLeading() {
        return ending != null;
    }

    /** Ends the leadership and releases the Lease, if this replica has it. Idempotent. */
    @Override
    public void close() {
        task.interrupt();
        task.close(FAREWELL);
    }
}
