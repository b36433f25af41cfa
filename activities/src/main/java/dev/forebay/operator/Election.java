package dev.forebay.operator;

import dev.forebay.thread.Closing;
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
 * Has one of several replicas lead, by a Lease of the API server, and the next one when that is
 * gone. Safe for use by many threads.
 *
 * <p>For a moment two may take themselves for the leader, if one was stopped or clocks differ: what
 * they do has to stand that.
 */
final class Election implements AutoCloseable {

    /** The name of the Lease; the chart gives the right to it. */
    static final String LEASE = "forebay-datasets";

    private static final Logger LOG = Logger.getLogger(Election.class);

    // As Kubernetes' own controllers have them.
    private static final Duration LEASE_DURATION = Duration.ofSeconds(15);
    private static final Duration RENEW_DEADLINE = Duration.ofSeconds(10);
    private static final Duration RETRY_PERIOD = Duration.ofSeconds(2);

    /** For the Lease to be given back. If it is not, it ends by itself. */
    private static final Duration FAREWELL = Duration.ofSeconds(5);

    private final KubernetesClient client;
    private final String replica;
    private final Supplier<Runnable> term;
    private final LeaderElectionConfig config;
    private final Closing closing = new Closing();
    private final Thread thread = Thread.ofVirtual().name("datasets-election").unstarted(this::run);

    /** Ends the term; null while this replica does not lead. Guarded by this. */
    private @Nullable Runnable ending;

    /**
     * @param namespace of the Lease
     * @param replica the name of this one, which no other has or had
     * @param term begins to lead, without waiting for anything, and returns how to end that
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

    /** Stands for election, and whenever it was lost again, until closed. */
    void start() {
        thread.start();
    }

    private void run() {
        do {
            stand();
        } while (!closing.within(RETRY_PERIOD));
    }

    /**
     * Returns when leadership was won and lost again, or when this is closed.
     *
     * <p>An elector is for one term, and tries until it has that. It calls back while it has a lock
     * of its own, and takes that to be cancelled: nobody may cancel it who has ours.
     */
    private void stand() {
        CompletableFuture<?> candidacy = client.leaderElector().withConfig(config).build().start();
        try {
            candidacy.get();
        } catch (InterruptedException closed) {
            LOG.debugf("%s stands for election no more", replica);
        } catch (ExecutionException e) {
            LOG.warnf("%s cannot stand for election: %s", replica, e.getCause());
        } finally {
            candidacy.cancel(true);
            end();
        }
    }

    private synchronized void begin() {
        if (ending == null) {
            LOG.infof("%s looks after Datasets", replica);
            ending = term.get();
        }
    }

    private synchronized void end() {
        Runnable last = ending;
        ending = null;
        if (last != null) {
            LOG.infof("%s looks after Datasets no more", replica);
            last.run();
        }
    }

    synchronized boolean isLeading() {
        return ending != null;
    }

    /** Leads no more, and gives the Lease back, if this replica has it. Idempotent. */
    @Override
    public void close() {
        closing.begin();
        thread.interrupt();
        try {
            thread.join(FAREWELL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
