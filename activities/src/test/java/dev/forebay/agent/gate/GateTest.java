package dev.forebay.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.Pods;
import dev.forebay.agent.jobs.VersionNotice;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class GateTest {

    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final RequestAnswer COMING =
            new RequestAnswer.Coming(0, Optional.empty(), Optional.empty());
    private static final RequestAnswer WARM = new RequestAnswer.Warm("/mnt/forebay/a/b/v1");

    private final FakePods pods = new FakePods();
    private final List<Gang> asked = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, RequestAnswer> answers = new HashMap<>();
    private final List<String> cancelled = Collections.synchronizedList(new ArrayList<>());
    private final VersionRequester requester = new FakePlatform();
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final CountDownLatch hanging = new CountDownLatch(1);
    private volatile boolean hangs;
    private Gate gate = gate();

    private Gate gate() {
        return new Gate(
                pods,
                requester,
                new RegionName("us"),
                new PollScheduler<>(INTERVAL, Runnable::run, Runnable::run, now::get));
    }

    private final class FakePlatform implements VersionRequester {

        @Override
        public RequestAnswer ensure(Gang gang) {
            asked.add(gang);
            if (hangs) {
                awaitUninterruptibly(hanging);
            }
            return answers.getOrDefault(gang.versionRequest().version().toString(), COMING);
        }

        @Override
        public boolean isBlocked(Gang gang) {
            return false;
        }

        @Override
        public void cancel(Gang gang) {
            cancelled.add(gang.holder().uid());
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void after(Duration time) {
        now.addAndGet(time.toNanos());
        gate.check();
    }

    @Test
    void allPodsOfAGangWaitForOneRequestAndStartTogether() {
        pods.add("w-0", "job-set", "a/b@v1");
        pods.add("w-1", "job-set", "a/b@v1");
        pods.add("other", "job", "a/b@v1");

        gate.check();
        assertThat(asked)
                .extracting(gang -> gang.holder().uid())
                .containsExactlyInAnyOrder("job-set", "job");
        assertThat(pods.opened).isEmpty();
        assertThat(pods.told).containsOnlyKeys("w-0", "w-1", "other");
        assertThat(gate.waiting()).isEqualTo(3);

        answers.put("a/b@v1", WARM);
        after(INTERVAL);
        assertThat(pods.opened)
                .isEqualTo(Map.of("w-0", "job-job-set", "w-1", "job-job-set", "other", "job-job"));
    }

    @Test
    void theGatePollsANewGangAtOnceAndAKnownOneOncePerInterval() {
        pods.add("w-0", "job", "a/b@v1");
        gate.check();
        after(Duration.ofSeconds(1));
        assertThat(asked).hasSize(1);

        pods.add("new", "job-2", "a/b@v1");
        after(Duration.ofSeconds(1));
        assertThat(asked).hasSize(2);

        after(Duration.ofSeconds(8));
        assertThat(asked).hasSize(3);
    }

    @Test
    void aRestartedAgentSendsTheSameRequestAndReleasesItsPods() {
        pods.add("w-0", "job", "a/b@v1");
        gate.check();
        answers.put("a/b@v1", WARM);

        gate = gate();
        gate.check();

        assertThat(pods.opened).containsOnlyKeys("w-0");
        assertThat(asked).hasSize(2).containsOnly(asked.getFirst());
    }

    @Test
    void theGateEnforcesDeadlinesWhileTheControlPlaneIsDown() {
        pods.add("fails", "job-1", "a/b@v1", Map.of(PodVersionRequest.DEADLINE, "60s"));
        pods.add(
                "runs",
                "job-2",
                "a/b@v1",
                Map.of(
                        PodVersionRequest.DEADLINE,
                        "60s",
                        PodVersionRequest.ON_DEADLINE,
                        "run_cold"));
        pods.add("waits", "job-3", "a/b@v1");
        answers.put("a/b@v1", new RequestAnswer.Refused(RequestAnswer.UNAVAILABLE, "away"));

        gate.check();
        after(Duration.ofSeconds(59));
        assertThat(pods.failed).isEmpty();
        assertThat(pods.opened).isEmpty();

        after(Duration.ofSeconds(10));
        assertThat(pods.failed).containsOnly("fails");
        assertThat(pods.opened).containsOnly(Map.entry("runs", FakePods.UNPINNED));
    }

    /** The agent was down for half a minute. */
    @Test
    void aRestartedAgentKeepsDeadlines() {
        pods.add("fails", "job-1", "a/b@v1", Map.of(PodVersionRequest.DEADLINE, "60s"));
        pods.add(
                "runs",
                "job-2",
                "a/b@v1",
                Map.of(
                        PodVersionRequest.DEADLINE,
                        "60s",
                        PodVersionRequest.ON_DEADLINE,
                        "run_cold"));
        pods.now = pods.now.plusSeconds(10);
        pods.add("fails-late", "job-1", "a/b@v1", Map.of(PodVersionRequest.DEADLINE, "60s"));
        gate.check();
        pods.now = pods.now.plusSeconds(30);

        gate = gate();
        gate.check();
        after(Duration.ofSeconds(19));
        assertThat(pods.failed).isEmpty();
        after(INTERVAL);
        assertThat(pods.failed).containsOnly("fails", "fails-late");
        assertThat(pods.opened).containsOnlyKeys("runs");
    }

    @Test
    void aRestartedAgentFailsPodsWhoseDeadlineHasPassed() {
        pods.add("fails", "job-1", "a/b@v1", Map.of(PodVersionRequest.DEADLINE, "60s"));
        pods.add("warm", "job-2", "a/c@v1", Map.of(PodVersionRequest.DEADLINE, "60s"));
        answers.put("a/c@v1", WARM);
        pods.now = pods.now.plusSeconds(3600);

        gate = gate();
        gate.check();

        assertThat(pods.failed).containsOnly("fails");
        assertThat(pods.opened).containsOnlyKeys("warm");
    }

    /** A change of the API server's clock does not shorten the deadline of new gangs. */
    @Test
    void theAgentTimesNewPodsWithItsOwnClock() {
        gate.check();
        after(Duration.ofMinutes(10));
        pods.add("new", "job-1", "a/b@v1", Map.of(PodVersionRequest.DEADLINE, "60s"));
        pods.now = pods.now.plus(Duration.ofMinutes(5));

        gate.check();
        after(Duration.ofSeconds(59));
        assertThat(pods.failed).isEmpty();
        after(Duration.ofSeconds(10));
        assertThat(pods.failed).containsOnly("new");
    }

    @Test
    void podsWaitUntilTheClockOfTheApiServerIsKnown() {
        pods.add("fails", "job-1", "a/b@v1", Map.of(PodVersionRequest.DEADLINE, "60s"));
        pods.now = pods.now.plusSeconds(3600);
        pods.clockIsDown = true;
        assertThatExceptionOfType(ForebayException.class).isThrownBy(gate::check);
        assertThat(asked).isEmpty();

        pods.clockIsDown = false;
        gate.check();
        assertThat(pods.failed).containsOnly("fails");
    }

    /** All slots for questions are in use, and no answer arrives. */
    @Test
    void theGateEnforcesDeadlinesWhileTheControlPlaneHangs() {
        hangs = true;
        gate =
                new Gate(
                        pods,
                        requester,
                        new RegionName("us"),
                        PollScheduler.of(INTERVAL, 4, now::get));
        for (int i = 0; i < 500; i++) {
            pods.add("w-" + i, "job-" + i, "a/b@v1", Map.of(PodVersionRequest.DEADLINE, "60s"));
        }
        pods.add("waits", "job-waits", "a/b@v1");
        gate.check();
        after(Duration.ofSeconds(59));
        assertThat(pods.failed).isEmpty();

        after(Duration.ofSeconds(2));

        // On a busy machine some gangs are first seen late, and their deadline starts then.
        Await.until(
                "all pods with a deadline have failed",
                () -> {
                    after(Duration.ofSeconds(1));
                    return pods.failed.size() == 500;
                });
        assertThat(pods.failed).doesNotContain("waits");
        assertThat(asked).hasSizeLessThanOrEqualTo(4);

        // A failed gang sends no request when the control plane is back, and cancels none.
        answers.put("a/b@v1", WARM);
        after(Duration.ofSeconds(1));
        hanging.countDown();
        Await.until(
                "the pod without a deadline is released", () -> pods.opened.containsKey("waits"));
        assertThat(asked).hasSizeLessThanOrEqualTo(5);
        assertThat(cancelled).isEmpty();
        assertThat(pods.opened).containsOnlyKeys("waits");
    }

    /**
     * The request was being sent when its pods were deleted, so its cancellation follows the
     * answer.
     */
    @Test
    void theGateCancelsARequestInProgressAfterItsAnswer() {
        hangs = true;
        gate =
                new Gate(
                        pods,
                        requester,
                        new RegionName("us"),
                        PollScheduler.of(INTERVAL, 4, now::get));
        pods.add("deleted", "job", "a/b@v1");
        gate.check();
        Await.until("the request is sent", () -> asked.size() == 1);

        pods.delete("deleted");
        after(Duration.ofSeconds(1));
        assertThat(cancelled).isEmpty();

        hanging.countDown();
        Await.until("the request is cancelled", () -> cancelled.contains("job"));
    }

    /** Kueue's check has released them to run cold, so they do not wait again. */
    @Test
    void aPodThatKueuesCheckReleasedToRunColdDoesNotWaitAgain() {
        Map<String, String> runs =
                Map.of(
                        PodVersionRequest.DEADLINE,
                        "2h",
                        PodVersionRequest.ON_DEADLINE,
                        "run_cold",
                        Pods.LATE,
                        "true");
        pods.add("has-waited", "job-1", "a/b@v1", runs);
        pods.add("says-so", "job-2", "a/b@v1", Map.of(Pods.LATE, "true"));

        gate.check();

        assertThat(pods.opened).containsOnlyKeys("has-waited");
        assertThat(pods.failed).as("a pod without a deadline cannot miss one").isEmpty();
    }

    @Test
    void theGateCancelsTheRequestOfDeletedPods() {
        pods.add("deleted", "job-1", "a/b@v1");
        pods.add("waits", "job-2", "a/b@v1");
        pods.add("runs", "job-3", "c/d@v1");
        answers.put("c/d@v1", WARM);
        gate.check();

        pods.delete("deleted");
        after(Duration.ofSeconds(1));
        after(Duration.ofSeconds(1));

        assertThat(pods.opened).containsOnlyKeys("runs");
        assertThat(cancelled).containsExactly("job-1");
    }

    /** The other agent may have released them to run cold, before their version is present. */
    @Test
    void theGateKeepsTheRequestOfPodsThatAnotherAgentReleased() {
        pods.add("w-0", "job", "a/b@v1");
        pods.add("w-1", "job", "a/b@v1");
        gate.check();

        pods.open("w-0");
        pods.open("w-1");
        after(Duration.ofSeconds(1));

        assertThat(cancelled).isEmpty();
    }

    @Test
    void theGateKeepsTheRequestOfPodsThatMayRun() {
        pods.add("w-0", "job", "a/b@v1");
        gate.check();

        pods.open("w-0");
        pods.down = true;
        after(Duration.ofSeconds(1));

        assertThat(cancelled).isEmpty();
    }

    @Test
    void theGateLooksUpTheOwnerOfAGangOnce() {
        pods.add("w-0", "job", "a/b@v1");
        pods.add("w-1", "job", "a/b@v1");
        gate.check();
        after(INTERVAL);

        assertThat(pods.lookedUp).isEqualTo(1);
    }

    /** The pods of a Deployment have one owner, which never ends, so each holds its own pin. */
    @Test
    void podsWithoutAJobHoldTheirOwnPins() {
        pods.add("p-0", "replica-set", "a/b@v1");
        pods.add("p-1", "replica-set", "a/b@v1");
        pods.unknownOwners.add("replica-set");
        answers.put("a/b@v1", WARM);

        gate.check();

        assertThat(pods.opened).isEqualTo(Map.of("p-0", "job-uid-p-0", "p-1", "job-uid-p-1"));
    }

    @Test
    void aPodWithAnInvalidAnnotationGetsANoticeAndDelaysNoOther() {
        pods.add("spoiled", "job-1", "nonsense");
        pods.add("fine", "job-2", "a/b@v1");
        answers.put("a/b@v1", WARM);

        gate.check();

        assertThat(pods.told.get("spoiled"))
                .extracting(VersionNotice::reason)
                .isEqualTo("InvalidArgument");
        assertThat(pods.opened).containsOnlyKeys("fine");
    }

    @Test
    void theGateRetriesWhenTheApiServerDoesNotAnswer() {
        pods.add("w-0", "job", "a/b@v1");
        answers.put("a/b@v1", WARM);
        pods.down = true;
        gate.check();
        assertThat(pods.opened).isEmpty();

        pods.down = false;
        after(INTERVAL);
        assertThat(pods.opened).containsOnlyKeys("w-0");
    }
}
