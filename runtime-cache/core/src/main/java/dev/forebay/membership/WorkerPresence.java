package dev.forebay.membership;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a worker registered and live: renews the lease at a third of its life, and makes a new one
 * and writes both keys again when it was lost.
 */
final class WorkerPresence implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(WorkerPresence.class);
    private static final long NO_LEASE = 0;

    private final EtcdConnection connection;
    private final Keys keys;
    private final WorkerNode worker;
    private final String incarnation = UUID.randomUUID().toString();
    private final CountDownLatch firstAttempt = new CountDownLatch(1);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;

    WorkerPresence(EtcdConnection connection, Keys keys, WorkerNode worker) {
        this.connection = connection;
        this.keys = keys;
        this.worker = worker;
        this.thread = Thread.ofVirtual().name("worker-presence").unstarted(this::keepUp);
    }

    /** Starts, and waits for the first attempt to register, be it that it failed. */
    void start() {
        thread.start();
        try {
            firstAttempt.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void keepUp() {
        long lease = NO_LEASE;
        boolean reachable = true;
        do {
            try {
                lease = lease == NO_LEASE ? register() : renew(lease);
                reachable = true;
            } catch (RuntimeException e) {
                // The lease may still be alive in there, so it is kept and tried again.
                if (reachable) {
                    LOG.warn("Cannot keep worker {} registered at the moment", worker.id(), e);
                }
                reachable = false;
            }
            firstAttempt.countDown();
        } while (!closingWithin(pause(lease, reachable)));
        leave(lease);
    }

    private long register() {
        long lease =
                connection.run(
                        session -> {
                            long granted = session.grantLease(connection.config().workerLease());
                            session.apply(
                                    EtcdSession.put(keys.worker(worker.id()), Rows.of(worker)),
                                    EtcdSession.put(
                                            keys.live(worker.id()),
                                            Rows.ofIncarnation(incarnation),
                                            granted));
                            return granted;
                        });
        LOG.info("Worker {} is registered at {}", worker.id(), worker.address());
        return lease;
    }

    private long renew(long lease) {
        if (connection.run(session -> session.renewLease(lease)).isPresent()) {
            return lease;
        }
        LOG.warn("Worker {} lost its lease; registering again", worker.id());
        return register();
    }

    private Duration pause(long lease, boolean reachable) {
        return lease != NO_LEASE && reachable
                ? connection.config().workerLease().dividedBy(3)
                : Duration.ofMillis(200);
    }

    private boolean closingWithin(Duration time) {
        try {
            return closing.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    private void leave(long lease) {
        if (lease == NO_LEASE) {
            return;
        }
        try {
            connection.run(
                    session -> {
                        session.revokeLease(lease);
                        return true;
                    });
        } catch (ForebayException e) {
            LOG.info(
                    "Worker {} leaves by letting its lease run out: {}",
                    worker.id(),
                    e.getMessage());
        }
    }

    /** Stops; the worker stays registered but is not live any more. */
    @Override
    public void close() {
        closing.countDown();
        try {
            thread.join(connection.config().requestTimeout().plusSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
    }
}
