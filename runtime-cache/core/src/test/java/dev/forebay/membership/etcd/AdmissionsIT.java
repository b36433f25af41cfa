package dev.forebay.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.membership.Keys;
import dev.forebay.membership.MountAdmission;
import dev.forebay.membership.QueuedVersion;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.LeaseOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests "Admission" against a real etcd. */
class AdmissionsIT {

    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final AtomicInteger REGIONS = new AtomicInteger();

    @TempDir private static Path directory;
    private static EtcdServer etcd;

    private final RegionName region = new RegionName("a" + REGIONS.incrementAndGet());
    private final List<EtcdRegionState> opened = new ArrayList<>();

    @BeforeAll
    static void startEtcd() {
        etcd = EtcdServer.start(directory);
    }

    @AfterAll
    static void stopEtcd() {
        etcd.close();
    }

    @AfterEach
    void close() {
        opened.forEach(EtcdRegionState::close);
    }

    @Test
    void concurrentAdmissionsMountOnlyAsManyVersionsAsFit() throws Exception {
        int most = 5;
        int wanting = 16;
        List<EtcdRegionState> agents = List.of(connected(), connected(), connected());
        CyclicBarrier start = new CyclicBarrier(wanting);
        List<Future<Optional<QueuedVersion>>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < wanting; i++) {
                DatasetVersion version = version(i);
                EtcdRegionState agent = agents.get(i % agents.size());
                answers.add(
                        threads.submit(
                                () -> {
                                    start.await();
                                    return agent.admit(version, manifest(), space(version, most));
                                }));
            }
        }
        int entered = 0;
        for (Future<Optional<QueuedVersion>> answer : answers) {
            entered += answer.get().isEmpty() ? 1 : 0;
        }

        assertThat(entered).isEqualTo(most);
        RegionView view = connected().view();
        assertThat(view.mounts()).hasSize(most);
        assertThat(view.queue()).hasSize(wanting - most);
    }

    @Test
    void concurrentAdmissionsAndEvictionsNeverExceedTheCapacity() throws Exception {
        long seed = System.nanoTime();
        int most = 3;
        AtomicInteger entries = new AtomicInteger();
        AtomicInteger tooMany = new AtomicInteger();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < 6; thread++) {
                Random random = new Random(seed + thread);
                EtcdRegionState agent = connected();
                DatasetVersion version = version(thread);
                all.add(
                        threads.submit(
                                () -> {
                                    for (int turn = 0; turn < 30; turn++) {
                                        MountAdmission keeper =
                                                view -> {
                                                    if (view.mounts().size() > most) {
                                                        tooMany.incrementAndGet();
                                                    }
                                                    return space(version, most).judge(view);
                                                };
                                        if (agent.admit(version, manifest(), keeper).isEmpty()) {
                                            entries.incrementAndGet();
                                        }
                                        if (random.nextBoolean()) {
                                            agent.beginEviction(version);
                                            agent.unmount(version);
                                        }
                                    }
                                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }

        assertThat(tooMany).as("seed %d", seed).hasValue(0);
        assertThat(entries.get()).isGreaterThan(most);
        assertThat(connected().view().mounts()).hasSizeLessThanOrEqualTo(most);
    }

    @Test
    void aQueuedVersionIsVisibleAndLeavesTheQueueWhenAdmitted() {
        EtcdRegionState agent = connected();
        QueuedVersion queued =
                new QueuedVersion(version(1), manifest(), 7, 1, NOON, true, "there is no space");

        assertThat(agent.admit(version(1), manifest(), view -> Optional.of(queued)))
                .contains(queued);
        eventually("the version is queued", () -> agent.view().queue().equals(List.of(queued)));
        assertThat(agent.view().mounts()).isEmpty();

        List<RegionView> seen = new ArrayList<>();
        assertThat(
                        agent.admit(
                                version(1),
                                manifest(),
                                view -> {
                                    seen.add(view);
                                    return Optional.empty();
                                }))
                .isEmpty();
        assertThat(seen.getLast().queue()).containsExactly(queued);
        eventually("the version is mounted", () -> agent.view().mounts().size() == 1);
        eventually("the queue is empty", () -> agent.view().queue().isEmpty());
        assertThat(agent.admit(version(1), manifest(), view -> Optional.of(queued))).isEmpty();
    }

    @Test
    void aRefusedOrUnmountedVersionLeavesTheQueue() {
        EtcdRegionState agent = connected();
        QueuedVersion queued = new QueuedVersion(version(1), manifest(), 7, 0, NOON, false, "full");
        agent.admit(version(1), manifest(), view -> Optional.of(queued));
        agent.admit(
                version(2),
                manifest(),
                view ->
                        Optional.of(
                                new QueuedVersion(
                                        version(2), manifest(), 7, 0, NOON, false, "full")));
        eventually("both versions are queued", () -> agent.view().queue().size() == 2);

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(
                        () ->
                                agent.admit(
                                        version(1),
                                        manifest(),
                                        view -> {
                                            throw new ForebayException(
                                                    ErrorCode.TOO_LARGE, "never");
                                        }))
                .matches(e -> e.code() == ErrorCode.TOO_LARGE);
        agent.unmount(version(2));

        eventually("the queue is empty", () -> agent.view().queue().isEmpty());
    }

    @Test
    void aVersionThatIsBeingEvictedIsNotAdmitted() {
        EtcdRegionState agent = connected();
        agent.admit(version(1), manifest(), view -> Optional.empty());
        agent.beginEviction(version(1));

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> agent.admit(version(1), manifest(), view -> Optional.empty()))
                .matches(e -> e.code() == ErrorCode.EVICTING);
    }

    @Test
    void aQueueEntryHasALeaseOfAtMostTwoMinutes() throws Exception {
        EtcdRegionState agent = connected();
        for (int attempt = 0; attempt < 3; attempt++) {
            agent.admit(
                    version(1),
                    manifest(),
                    view ->
                            Optional.of(
                                    new QueuedVersion(
                                            version(1), manifest(), 7, 0, NOON, false, "full")));
        }

        try (Client client = Client.builder().endpoints(etcd.endpoint()).build()) {
            var key = EtcdSession.bytes(Keys.of(region).waiting(version(1)));
            long lease = client.getKVClient().get(key).get().getKvs().getFirst().getLease();
            long left =
                    client.getLeaseClient().timeToLive(lease, LeaseOption.DEFAULT).get().getTTL();
            assertThat(left).isBetween(1L, 120L);
        }
    }

    private EtcdRegionState connected() {
        EtcdRegionState state =
                EtcdRegionState.connect(
                        EtcdConfig.of(List.of(etcd.endpoint()))
                                .withRequestTimeout(Duration.ofSeconds(30)),
                        region);
        opened.add(state);
        return state;
    }

    /** Admits versions up to a number of mounts. */
    private static MountAdmission space(DatasetVersion version, int most) {
        return view ->
                view.mounts().size() < most
                        ? Optional.empty()
                        : Optional.of(
                                new QueuedVersion(version, manifest(), 1, 0, NOON, false, "full"));
    }

    private static DatasetVersion version(int number) {
        return DatasetVersion.of("team", "d" + number, "v1");
    }

    private static ManifestRef manifest() {
        return new ManifestRef("s3://m/k", new Digest("a".repeat(64)), 3, 30, 1);
    }

    private static void eventually(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            LockSupport.parkNanos(20_000_000);
        }
    }
}
