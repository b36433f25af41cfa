package dev.forebay.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.ControllerReference;
import dev.forebay.agent.jobs.PinOwner;
import dev.forebay.agent.jobs.ReservedWorkload;
import dev.forebay.agent.jobs.ReservedWorkload.Check;
import dev.forebay.agent.jobs.ReservedWorkload.State;
import dev.forebay.agent.jobs.Workloads;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WarmCheckTest {

    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final RequestAnswer COMING =
            new RequestAnswer.Coming(0, Optional.empty(), Optional.empty());
    private static final RequestAnswer WARM = new RequestAnswer.Warm("/mnt/forebay/a/b/v1");

    private final FakeWorkloads workloads = new FakeWorkloads();
    private final List<Gang> asked = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, RequestAnswer> answers = new HashMap<>();
    private final List<String> cancelled = Collections.synchronizedList(new ArrayList<>());
    private long now = Long.MAX_VALUE - 5;
    private final WarmCheck check =
            new WarmCheck(
                    workloads,
                    new FakePlatform(),
                    new RegionName("us"),
                    new PollScheduler<>(INTERVAL, Runnable::run, Runnable::run, () -> now));

    /** The number of requests that must arrive before the first answer. */
    private volatile CountDownLatch together = new CountDownLatch(0);

    private final class FakePlatform implements VersionRequester {

        @Override
        public RequestAnswer ensure(Gang gang) {
            asked.add(gang);
            together.countDown();
            awaitAll();
            return answers.getOrDefault(gang.versionRequest().version().toString(), COMING);
        }

        @Override
        public boolean isBlocked(Gang gang) {
            return false;
        }

        @Override
        public void cancel(Gang gang) {
            cancelled.add(gang.holder().uid() + " " + gang.versionRequest().version());
        }
    }

    private void awaitAll() {
        try {
            assertThat(together.await(10, TimeUnit.SECONDS))
                    .as("all versions are requested")
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void after(Duration time) {
        now += time.toNanos();
        check.check();
    }

    @Test
    void aWorkloadShowsItsProgressAndRunsWhenItsVersionIsWarm() {
        workloads.reserve("w", wants("a/b@v1"));

        check.check();
        assertThat(workloads.told.get("w")).isEqualTo("a/b@v1 in us is filled to 0 %");
        assertThat(check.waiting()).isEqualTo(1);

        answers.put("a/b@v1", WARM);
        after(INTERVAL);
        after(Duration.ofSeconds(1));
        assertThat(workloads.admitted).containsEntry("w", Set.of());
        assertThat(workloads.told.get("w")).isEqualTo("a/b@v1 in us is at /mnt/forebay/a/b/v1");
        assertThat(check.waiting()).isZero();
        assertThat(cancelled).isEmpty();
    }

    @Test
    void aRestartedAgentKeepsDeadlines() {
        Map<String, String> wants = wants("a/b@v1", PodVersionRequest.DEADLINE, "60s");
        workloads.reserve("passed", Map.of("main", wants), "2026-11-20T11:00:00Z");
        workloads.reserve("half", Map.of("main", wants), "2026-11-20T11:59:30Z");
        workloads.reserve("unknown", Map.of("main", wants), "then");

        check.check();
        assertThat(workloads.rejected).containsOnly("passed");
        after(Duration.ofSeconds(29));
        assertThat(workloads.rejected).containsOnly("passed");
        after(Duration.ofSeconds(10));
        assertThat(workloads.rejected).containsOnly("passed", "half");
        after(Duration.ofSeconds(30));
        assertThat(workloads.rejected).containsOnly("passed", "half", "unknown");
    }

    /** The Workload and its pods must share one pin and one request. */
    @Test
    void aWorkloadSendsTheSameRequestAsItsPodsAtTheGate() {
        Map<String, String> wants =
                wants(
                        "a/b@v1",
                        PodVersionRequest.DEADLINE,
                        "2h",
                        PodVersionRequest.ON_DEADLINE,
                        "run_cold");
        workloads.reserve("w", wants);

        check.check();

        assertThat(asked)
                .containsExactly(
                        new Gang(
                                new PinOwner("Job", "default", "job-w", "job-w"),
                                PodVersionRequest.of(wants).orElseThrow()));
    }

    @Test
    void aWorkloadWithoutADatasetRunsAtOnce() {
        workloads.reserve("w", Map.of());

        check.check();

        assertThat(workloads.admitted).containsOnlyKeys("w");
        assertThat(workloads.told).containsEntry("w", "no pod of it needs a dataset");
        assertThat(asked).isEmpty();
    }

    @Test
    void aWorkloadWithAnInvalidAnnotationIsRejectedAndDelaysNoOther() {
        workloads.reserve("spoiled", wants("nonsense"));
        workloads.reserve("fine", wants("a/b@v1"));
        answers.put("a/b@v1", WARM);

        check.check();

        assertThat(workloads.rejected).containsExactly("spoiled");
        assertThat(workloads.told.get("spoiled"))
                .startsWith("annotation forebay.dev/dataset 'nonsense': ");
        assertThat(workloads.admitted).containsOnlyKeys("fine");
    }

    @Test
    void podSetsMayRequestDifferentVersions() {
        workloads.reserve(
                "w",
                Map.of(
                        "driver", Map.of(),
                        "eval", wants("c/d@v1"),
                        "train-a", wants("a/b@v1"),
                        "train-b", wants("a/b@v1")),
                "1");
        answers.put("a/b@v1", WARM);

        check.check();
        assertThat(asked).hasSize(2);
        assertThat(workloads.admitted).isEmpty();
        assertThat(workloads.told.get("w")).isEqualTo("c/d@v1 in us is filled to 0 %");

        answers.put("c/d@v1", new RequestAnswer.Cold("37 % within 60 s"));
        after(INTERVAL);
        assertThat(workloads.admitted).isEqualTo(Map.of("w", Set.of("eval")));
    }

    /** Otherwise the times of a slow control plane would add up. */
    @Test
    void theCheckRequestsAllVersionsOfAWorkloadConcurrently() {
        Map<String, Map<String, String>> podSets = new TreeMap<>();
        for (int i = 0; i < 8; i++) {
            podSets.put("set-" + i, wants("a/b-%d@v1".formatted(i)));
            answers.put("a/b-%d@v1".formatted(i), WARM);
        }
        together = new CountDownLatch(podSets.size());
        workloads.reserve("w", podSets, "1");

        check.check();

        assertThat(workloads.admitted).containsOnlyKeys("w");
    }

    @Test
    void aWorkloadIsRejectedOrRunsColdAfterItsDeadline() {
        workloads.reserve("fails", wants("a/b@v1", PodVersionRequest.DEADLINE, "60s"));
        workloads.reserve(
                "runs",
                wants(
                        "a/b@v1",
                        PodVersionRequest.DEADLINE,
                        "60s",
                        PodVersionRequest.ON_DEADLINE,
                        "run_cold"));

        check.check();
        after(Duration.ofSeconds(59));
        assertThat(workloads.rejected).isEmpty();
        assertThat(workloads.admitted).isEmpty();

        after(Duration.ofSeconds(10));
        after(Duration.ofSeconds(1));
        assertThat(workloads.rejected).containsExactly("fails");
        assertThat(workloads.admitted).isEqualTo(Map.of("runs", Set.of("main")));
        assertThat(cancelled)
                .as("the request of the other continues")
                .containsExactly("job-fails a/b@v1");
    }

    @Test
    void aWorkloadThatLosesItsQuotaCancelsItsRequestAndLaterWaitsAgain() {
        Map<String, String> wants = wants("a/b@v1", PodVersionRequest.DEADLINE, "60s");
        workloads.reserve("w", Map.of("main", wants), "1");
        workloads.reserve("gone", wants("c/d@v1"));
        check.check();

        workloads.reserve("w", Map.of("main", wants), "2");
        workloads.remove("gone");
        after(Duration.ofSeconds(59));
        assertThat(cancelled).containsExactlyInAnyOrder("job-w a/b@v1", "job-gone c/d@v1");
        assertThat(asked).hasSize(3);

        after(Duration.ofSeconds(50));
        assertThat(workloads.rejected).as("the deadline starts again with the new quota").isEmpty();
        after(Duration.ofSeconds(10));
        assertThat(workloads.rejected).containsExactly("w");
    }

    /** Its pods may use the same request by now. */
    @Test
    void theCheckKeepsTheRequestOfAWorkloadThatAnotherAgentAdmitted() {
        workloads.reserve("w", wants("a/b@v1"));
        check.check();

        workloads.admit(workloads.workload("w"), "by another", Set.of());
        after(INTERVAL);

        assertThat(cancelled).isEmpty();
        assertThat(asked).hasSize(1);
    }

    @Test
    void theCheckRetriesWhenTheApiServerDoesNotAnswer() {
        workloads.reserve("w", wants("a/b@v1"));
        answers.put("a/b@v1", WARM);
        workloads.down = true;
        assertThatExceptionOfType(ForebayException.class).isThrownBy(check::check);
        assertThat(workloads.admitted).isEmpty();
        assertThat(workloads.activated).isZero();

        workloads.down = false;
        after(INTERVAL);
        assertThat(workloads.admitted).containsOnlyKeys("w");
        assertThat(workloads.activated).isPositive();
    }

    private static Map<String, String> wants(String dataset, String... more) {
        Map<String, String> annotations = new HashMap<>();
        annotations.put(PodVersionRequest.DATASET, dataset);
        for (int i = 0; i < more.length; i += 2) {
            annotations.put(more[i], more[i + 1]);
        }
        return annotations;
    }

    /** A cluster in memory. */
    private static final class FakeWorkloads implements Workloads {

        private final Map<String, ReservedWorkload> reserved =
                Collections.synchronizedMap(new TreeMap<>());
        final Map<String, String> told = new ConcurrentHashMap<>();
        final Map<String, Set<String>> admitted = new ConcurrentHashMap<>();
        final Set<String> rejected = ConcurrentHashMap.newKeySet();
        volatile boolean down;
        Instant now = Instant.parse("2026-11-20T12:00:00Z");
        int activated;

        void reserve(String name, Map<String, String> annotations) {
            reserve(name, Map.of("main", annotations), "1");
        }

        void reserve(String name, Map<String, Map<String, String>> podSets, String at) {
            reserved.put(name, workload(name, podSets, at, State.PENDING));
        }

        void remove(String name) {
            reserved.remove(name);
        }

        ReservedWorkload workload(String name) {
            return Optional.ofNullable(reserved.get(name)).orElseThrow();
        }

        private static ReservedWorkload workload(
                String name, Map<String, Map<String, String>> podSets, String at, State state) {
            return new ReservedWorkload(
                    "default",
                    name,
                    "uid-" + name,
                    "1",
                    at,
                    Optional.of(
                            new ControllerReference(
                                    "batch/v1", "Job", "job-" + name, "job-" + name)),
                    podSets,
                    List.of(new Check("warm", state, "", "2026-11-24T00:00:00Z")));
        }

        @Override
        public void follow() {}

        @Override
        public void activate() {
            requireUp();
            activated++;
        }

        @Override
        public List<ReservedWorkload> reserved() {
            return List.copyOf(reserved.values());
        }

        @Override
        public Instant clock() {
            requireUp();
            return now;
        }

        @Override
        public PinOwner holder(ReservedWorkload workload) {
            requireUp();
            ControllerReference owner = workload.owner().orElseThrow();
            return new PinOwner(owner.kind(), workload.namespace(), owner.name(), owner.uid());
        }

        @Override
        public void tell(ReservedWorkload workload, String message) {
            set(workload, State.PENDING, message);
        }

        @Override
        public void admit(ReservedWorkload workload, String message, Set<String> late) {
            set(workload, State.READY, message);
            admitted.put(workload.name(), late);
        }

        @Override
        public void reject(ReservedWorkload workload, String message) {
            set(workload, State.REJECTED, message);
            rejected.add(workload.name());
        }

        private void set(ReservedWorkload workload, State state, String message) {
            requireUp();
            told.put(workload.name(), message);
            reserved.put(
                    workload.name(),
                    workload(workload.name(), workload.podSets(), workload.reservedAt(), state));
        }

        private void requireUp() {
            if (down) {
                throw new ForebayException(ErrorCode.UNAVAILABLE, "down");
            }
        }

        @Override
        public void close() {}
    }
}
