package dev.forebay.membership.etcd;

import static dev.forebay.membership.etcd.Change.delete;
import static dev.forebay.membership.etcd.Change.put;

import dev.forebay.membership.Keys;
import dev.forebay.membership.WorkerRegistration;
import dev.forebay.membership.rows.Rows;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.thread.PeriodicTask;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a worker registered and live. It renews the lease at a third of its duration. If the lease
 * was lost, it takes a new one and writes both keys again.
 *
 * <p>If a process was stopped for longer than its lease, another process may have become this
 * worker, on another machine with its disk. This process then never registers again. A row that is
 * older than this process's own belongs to no such process: etcd was restored from a backup. This
 * process then waits until the lease of that row ends.
 */
final class LeasedWorkerRegistration implements WorkerRegistration {

    private static final Logger LOG = LoggerFactory.getLogger(LeasedWorkerRegistration.class);
    private static final long NO_LEASE = 0;
    private static final Duration RETRY = Duration.ofMillis(200);

    private final EtcdAccess etcd;
    private final EtcdConfig config;
    private final Keys keys;
    private final WorkerNode worker;
    private final String incarnation = UUID.randomUUID().toString();
    private final CountDownLatch firstAttempt = new CountDownLatch(1);
    private final PeriodicTask task;

    /** Used by the thread of the task only. */
    private long lease = NO_LEASE;

    private volatile boolean draining;
    private volatile boolean superseded;
    private volatile long epoch;
    private volatile long confirmedNanos;

    LeasedWorkerRegistration(EtcdAccess etcd, EtcdConfig config, Keys keys, WorkerNode worker) {
        this.etcd = etcd;
        this.config = config;
        this.keys = keys;
        this.worker = worker;
        this.task =
                new PeriodicTask(
                        Thread.ofVirtual().name("worker-presence"),
                        config.workerLease().dividedBy(3),
                        RETRY,
                        "Cannot renew the registration of worker %s in etcd".formatted(worker.id()),
                        this::keepUp,
                        this::leave);
    }

    /** Starts the thread, and waits for the first attempt to register, even a failed one. */
    void start() {
        task.start();
        try {
            firstAttempt.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Renews the lease, even after a failure: it may still be alive in etcd. */
    private void keepUp() {
        long asked = System.nanoTime();
        try {
            lease = lease == NO_LEASE ? register() : renew();
            confirmedNanos = asked;
        } finally {
            firstAttempt.countDown();
        }
        if (superseded) {
            task.close();
        }
    }

    private long register() {
        long granted = etcd.with(calls -> calls.grantLease(config.workerLease()));
        String live = keys.live(worker.id());
        Change[] rows = {
            put(keys.worker(worker.id()), Rows.of(claim())),
            put(live, Rows.ofIncarnation(incarnation), granted)
        };
        OptionalLong registered =
                epoch == 0
                        ? OptionalLong.of(etcd.with(calls -> calls.apply(rows)))
                        : again(live, rows);
        if (registered.isEmpty()) {
            superseded = true;
            LOG.error(
                    "Another process registered as worker {}, so this one leaves the region: give"
                            + " each its own forebay.worker.directory",
                    worker.id());
            return granted;
        }
        epoch = registered.getAsLong();
        LOG.info("Worker {} is registered at {}, epoch {}", worker.id(), worker.address(), epoch);
        return granted;
    }

    /**
     * Writes the rows unless another process has become this worker. The rows of an earlier attempt
     * of this process may be there if its answer was lost, or may arrive meanwhile.
     */
    private OptionalLong again(String live, Change... rows) {
        return etcd.with(
                calls -> {
                    while (true) {
                        Optional<KeyValue> there = calls.get(live);
                        if (there.filter(this::isSuccessors).isPresent()) {
                            return OptionalLong.empty();
                        }
                        long revision = there.map(KeyValue::getModRevision).orElse(0L);
                        if (calls.ifUnchanged(live, revision, rows)) {
                            Optional<KeyValue> ours =
                                    calls.get(live).filter(row -> !isSuccessors(row));
                            if (ours.isPresent()) {
                                return OptionalLong.of(ours.get().getModRevision());
                            }
                        }
                        // Another write came first, so read again. The session's deadline ends the
                        // retries.
                    }
                });
    }

    /**
     * Returns whether the row belongs to another process that has become this worker.
     *
     * @throws ForebayException {@code UNAVAILABLE} while etcd has the row of an earlier process
     */
    private boolean isSuccessors(KeyValue live) {
        if (Arrays.equals(live.getValue().getBytes(), Rows.ofIncarnation(incarnation))) {
            return false;
        }
        if (live.getModRevision() < epoch) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "etcd has an earlier process of worker %s at revision %d, for example after a restore from a backup: this process, of epoch %d, registers when the lease of that row ends"
                            .formatted(worker.id(), live.getModRevision(), epoch));
        }
        return true;
    }

    private WorkerNode claim() {
        return draining ? worker.drained() : worker;
    }

    private long renew() {
        if (etcd.with(calls -> calls.renewLease(lease)).isPresent()) {
            putBack();
            return lease;
        }
        // Check for a successor before taking a lease: the check throws if this process must wait.
        boolean _ =
                etcd.with(calls -> calls.get(keys.live(worker.id())))
                        .filter(this::isSuccessors)
                        .isPresent();
        LOG.warn("Worker {} lost its lease; registering again", worker.id());
        return register();
    }

    /**
     * Writes the worker's row again if it is gone. An agent that considers this worker dead may
     * delete the row just when the worker has returned.
     */
    private void putBack() {
        String row = keys.worker(worker.id());
        if (!task.isClosing()
                && etcd.with(calls -> calls.get(row).isEmpty())
                && unlessSuperseded(put(row, Rows.of(claim())))) {
            LOG.warn("Worker {} was deleted from the region; registering again", worker.id());
        }
    }

    /** Makes a change if no other process has become this worker. Returns whether it was made. */
    private boolean unlessSuperseded(Change change) {
        String live = keys.live(worker.id());
        return etcd.with(
                calls -> {
                    while (true) {
                        Optional<KeyValue> there = calls.get(live);
                        if (there.filter(this::isSuccessors).isPresent()) {
                            return false;
                        }
                        long revision = there.map(KeyValue::getModRevision).orElse(0L);
                        if (calls.ifUnchanged(live, revision, change)) {
                            return true;
                        }
                        // The row changed meanwhile, so read again. The session's deadline ends the
                        // retries.
                    }
                });
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public boolean valid() {
        return epoch != 0
                && !superseded
                && System.nanoTime() - confirmedNanos < config.workerLease().toNanos();
    }

    @Override
    public boolean superseded() {
        return superseded;
    }

    @Override
    public void drain() {
        draining = true;
        if (!unlessSuperseded(put(keys.worker(worker.id()), Rows.of(claim())))) {
            superseded = true;
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "another process registered as worker %s, so this one has nothing to hand over"
                            .formatted(worker.id()));
        }
    }

    @Override
    public void remove() {
        close();
        if (!unlessSuperseded(delete(keys.worker(worker.id())))) {
            LOG.warn(
                    "Another process registered as worker {}, so the worker stays in the region",
                    worker.id());
        }
    }

    private void leave() {
        if (lease == NO_LEASE) {
            return;
        }
        try {
            etcd.with(
                    calls -> {
                        calls.revokeLease(lease);
                        return true;
                    });
        } catch (ForebayException e) {
            LOG.info(
                    "Worker {} leaves by letting its lease run out: {}",
                    worker.id(),
                    e.getMessage());
        }
    }

    /** Stops the renewals. The worker stays registered but is not live any more. */
    @Override
    public void close() {
        task.close(config.requestTimeout().plusSeconds(1));
    }
}
