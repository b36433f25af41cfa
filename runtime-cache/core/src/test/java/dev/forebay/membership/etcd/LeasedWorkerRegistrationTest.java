package dev.forebay.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.membership.Keys;
import dev.forebay.membership.rows.Rows;
import dev.forebay.model.RegionName;
import dev.forebay.placement.WorkerNode;
import io.etcd.jetcd.KeyValue;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Tests a worker that has lost its lease while two processes write its rows. */
class LeasedWorkerRegistrationTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Keys KEYS = Keys.of(new RegionName("r1"));
    private static final String LIVE = KEYS.live("w1");

    /** The lease is renewed three times in its duration. */
    private static final Duration LEASE = Duration.ofMillis(300);

    private final RacingEtcd etcd = new RacingEtcd();

    private LeasedWorkerRegistration presence() {
        EtcdConfig config =
                new EtcdConfig(
                        List.of(URI.create("http://127.0.0.1:1")), TIMEOUT, LEASE, LEASE, LEASE);
        WorkerNode worker = new WorkerNode("w1", URI.create("http://127.0.0.1:2"), 10);
        return new LeasedWorkerRegistration(etcd, config, KEYS, worker);
    }

    /** Waits until a worker has registered again, or knows that it must not. */
    private static void awaitDecision(LeasedWorkerRegistration presence, long epoch) {
        await(() -> presence.epoch() != epoch || presence.superseded());
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void aWorkerRenewsItsLease() throws Exception {
        try (LeasedWorkerRegistration presence = presence()) {
            presence.start();
            assertThat(etcd.renewals.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aWorkerRecognisesItsOwnDelayedWrite() {
        try (LeasedWorkerRegistration presence = presence()) {
            presence.start();
            long first = presence.epoch();
            assertThat(first).isPositive();
            etcd.endLeases((model, changes) -> model.apply(changes));
            awaitDecision(presence, first);
            assertThat(presence.superseded()).isFalse();
            assertThat(presence.epoch()).isGreaterThan(first);
            assertThat(etcd.get(LIVE)).isPresent();
        }
    }

    @Test
    void aWorkerDoesNotReplaceTheRowOfASuccessor() {
        byte[] another = Rows.ofIncarnation("another");
        try (LeasedWorkerRegistration presence = presence()) {
            presence.start();
            long first = presence.epoch();
            etcd.endLeases((model, _) -> model.apply(Change.put(LIVE, another)));
            awaitDecision(presence, first);
            assertThat(presence.superseded()).isTrue();
            assertThat(etcd.get(LIVE).orElseThrow().getValue().getBytes()).isEqualTo(another);
        }
    }

    /**
     * The earlier process's row is in a backup of etcd that is restored while this process runs.
     */
    @Test
    void aWorkerWaitsUntilTheLeaseOfAnEarlierProcessEnds() {
        byte[] earlier = Rows.ofIncarnation("earlier");
        long lease = etcd.grantLease(LEASE);
        long _ = etcd.apply(Change.put(LIVE, earlier, lease));
        ModelEtcd backup = etcd.model();
        try (LeasedWorkerRegistration presence = presence()) {
            presence.start();
            long first = presence.epoch();
            etcd.restore(backup);
            await(() -> !presence.valid());
            assertThatThrownBy(presence::drain).hasMessageContaining("earlier process");
            assertThat(presence.superseded()).isFalse();
            assertThat(etcd.get(LIVE).orElseThrow().getValue().getBytes()).isEqualTo(earlier);

            etcd.revokeLease(lease);
            awaitDecision(presence, first);

            assertThat(presence.superseded()).isFalse();
            assertThat(etcd.get(LIVE).orElseThrow().getModRevision()).isEqualTo(presence.epoch());
        }
    }

    @Test
    void aReplacedWorkerNeitherDrainsNorRemovesItsSuccessor() {
        byte[] another = Rows.ofIncarnation("another");
        byte[] row = Rows.of(new WorkerNode("w1", URI.create("http://127.0.0.1:3"), 20));
        try (LeasedWorkerRegistration presence = presence()) {
            presence.start();
            long _ = etcd.apply(Change.put(LIVE, another), Change.put(KEYS.worker("w1"), row));

            assertThatThrownBy(presence::drain).hasMessageContaining("another process");
            presence.remove();

            assertThat(presence.superseded()).isTrue();
            assertThat(etcd.get(LIVE).orElseThrow().getValue().getBytes()).isEqualTo(another);
            assertThat(etcd.get(KEYS.worker("w1")).orElseThrow().getValue().getBytes())
                    .isEqualTo(row);
        }
    }

    /** An agent that took this worker for dead deletes the row just when the worker comes back. */
    @Test
    void aWorkerRestoresItsDeletedRow() {
        try (LeasedWorkerRegistration presence = presence()) {
            presence.start();
            long _ = etcd.apply(Change.delete(KEYS.worker("w1")));
            await(() -> etcd.get(KEYS.worker("w1")).isPresent());
        }
    }

    /** The row was deleted, and the worker is about to write it again when it must leave. */
    @Test
    void aLeavingWorkerRemovesARowThatItIsRestoring() throws Exception {
        CountDownLatch looked = new CountDownLatch(1);
        try (LeasedWorkerRegistration presence = presence()) {
            Thread leaving = Thread.ofPlatform().unstarted(presence::remove);
            presence.start();
            etcd.onNextMiss(
                    () -> {
                        leaving.start();
                        awaitState(leaving, Thread.State.TIMED_WAITING);
                        looked.countDown();
                    });
            long _ = etcd.apply(Change.delete(KEYS.worker("w1")));

            assertThat(looked.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(leaving.join(TIMEOUT)).isTrue();
            assertThat(etcd.get(KEYS.worker("w1"))).isEmpty();
        }
    }

    private static void awaitState(Thread thread, Thread.State state) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (thread.getState() != state && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /**
     * A model of etcd in which a test can change something between a read and the write that
     * follows.
     */
    private static final class RacingEtcd implements EtcdAccess, EtcdCalls {

        final CountDownLatch renewals = new CountDownLatch(2);

        // Guarded by this.
        private ModelEtcd model = ModelEtcd.empty();
        private BiFunction<ModelEtcd, Change[], ModelEtcd> before = (now, _) -> now;
        private Runnable onMiss = () -> {};

        /** Sets an action that runs after the next read that finds nothing, before its answer. */
        synchronized void onNextMiss(Runnable action) {
            onMiss = action;
        }

        /** Ends all leases, and applies {@code next} just before the next conditional write. */
        synchronized void endLeases(BiFunction<ModelEtcd, Change[], ModelEtcd> next) {
            for (long lease : List.copyOf(model.leases())) {
                model = model.end(lease);
            }
            before = next;
        }

        synchronized ModelEtcd model() {
            return model;
        }

        /** Restores a backup at a later revision, as {@code --bump-revision} does. */
        synchronized void restore(ModelEtcd backup) {
            model =
                    new ModelEtcd(
                            backup.cells(), backup.leases(), model.revision() + 1_000_000_000);
        }

        @Override
        public <T> T with(Function<EtcdCalls, T> calls) {
            return calls.apply(this);
        }

        @Override
        public Optional<KeyValue> get(String key) {
            Optional<KeyValue> there;
            Runnable action = () -> {};
            synchronized (this) {
                there = model.get(key);
                if (there.isEmpty()) {
                    action = onMiss;
                    onMiss = () -> {};
                }
            }
            action.run();
            return there;
        }

        @Override
        public KeyAndRange getWithRange(String key, String prefix) {
            throw new UnsupportedOperationException("no worker asks for it");
        }

        @Override
        public synchronized boolean ifUnchanged(String key, long revision, Change... changes) {
            model = before.apply(model, changes);
            before = (now, _) -> now;
            boolean unchanged = model.isUnchanged(key, revision);
            if (unchanged) {
                model = model.apply(changes);
            }
            return unchanged;
        }

        @Override
        public synchronized long apply(Change... changes) {
            model = model.apply(changes);
            return model.revision();
        }

        @Override
        public synchronized long grantLease(Duration life) {
            long lease = model.nextLease();
            model = model.grant();
            return lease;
        }

        @Override
        public synchronized void revokeLease(long lease) {
            model = model.end(lease);
        }

        @Override
        public Optional<Duration> renewLease(long lease) {
            renewals.countDown();
            return leaseLeft(lease);
        }

        @Override
        public synchronized Optional<Duration> leaseLeft(long lease) {
            return model.leases().contains(lease) ? Optional.of(LEASE) : Optional.empty();
        }
    }
}
