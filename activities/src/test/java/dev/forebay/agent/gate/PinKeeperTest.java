package dev.forebay.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.Jobs;
import dev.forebay.membership.Pin;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PinKeeperTest {

    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final Duration LEASE = Duration.ofHours(1);
    private static final DatasetVersion VERSION = DatasetVersion.parse("a/b@v1");

    private final FakePods pods = new FakePods();
    private final Set<String> over = new HashSet<>();
    private final List<Pin> pins = new ArrayList<>();
    private final List<Gang> asked = new ArrayList<>();
    private final List<String> cancelled = new ArrayList<>();
    private final AtomicLong now = new AtomicLong();
    private boolean isPinnedWhenAsked = true;

    private final PinKeeper keeper =
            new PinKeeper(
                    pods,
                    new FakeJobs(),
                    () -> List.copyOf(pins),
                    new FakePlatform(),
                    LEASE,
                    new PollScheduler<>(INTERVAL, Runnable::run, Runnable::run, now::get));

    private final class FakeJobs implements Jobs {

        @Override
        public Set<String> over(Collection<Pin> pins) {
            return pins.stream().map(Pin::job).filter(over::contains).collect(Collectors.toSet());
        }

        @Override
        public boolean asksFor(Pin pin) {
            return true;
        }

        @Override
        public void onEnd(Consumer<String> listener) {}

        @Override
        public void close() {}
    }

    private final class FakePlatform implements VersionRequester {

        @Override
        public RequestAnswer ensure(Gang gang) {
            asked.add(gang);
            if (isPinnedWhenAsked) {
                pin(gang.holder().uid(), gang.versionRequest().version());
                return new RequestAnswer.Warm("/mnt/forebay/a/b/v1");
            }
            return new RequestAnswer.Coming(0, Optional.empty(), Optional.empty());
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

    private void pin(String job, DatasetVersion version) {
        pins.add(new Pin(version, "job-" + job, "Job default/" + job, "training", LEASE, job));
    }

    private void run(String pod, String job, Map<String, String> annotations) {
        pods.add(pod, job, VERSION.toString(), annotations);
        pods.open(pod);
    }

    private void lookLater() {
        now.addAndGet(INTERVAL.toNanos());
        keeper.check();
    }

    @Test
    void theKeeperRequestsALostPinOnce() {
        run("w-0", "job", Map.of());
        run("w-1", "job", Map.of());

        keeper.check();
        assertThat(asked)
                .containsExactly(
                        new Gang(
                                pods.holder(pods.running().getFirst()),
                                new PodVersionRequest(VERSION, Optional.empty(), false, false)));
        assertThat(keeper.lacking()).isEqualTo(1);

        lookLater();
        assertThat(asked).hasSize(1);
        assertThat(keeper.lacking()).isZero();
        assertThat(cancelled).isEmpty();
    }

    @Test
    void theKeeperRequestsNoPinForAGangThatHasOne() {
        run("w-0", "job", Map.of());
        pin("job", VERSION);

        keeper.check();

        assertThat(asked).isEmpty();
    }

    @Test
    void aPinOnAnotherVersionDoesNotCount() {
        run("w-0", "job", Map.of());
        pin("job", DatasetVersion.parse("a/b@v2"));

        keeper.check();

        assertThat(asked).hasSize(1);
    }

    /** A gang that runs cold has waited long enough, so its pin request has no deadline. */
    @Test
    void thePinRequestOfARunningGangHasNoDeadline() {
        isPinnedWhenAsked = false;
        run(
                "cold",
                "job",
                Map.of(
                        PodVersionRequest.DEADLINE,
                        "60s",
                        PodVersionRequest.ON_DEADLINE,
                        "run_cold"));

        keeper.check();
        now.addAndGet(Duration.ofHours(1).toNanos());
        keeper.check();

        assertThat(asked).hasSize(2).allMatch(gang -> gang.versionRequest().deadline().isEmpty());
        assertThat(cancelled).isEmpty();
    }

    @Test
    void theKeeperLeavesWaitingPodsToTheGate() {
        pods.add("gated", "job", VERSION.toString());

        keeper.check();

        assertThat(asked).isEmpty();
    }

    /** Some Jobs leave pods running that are no longer needed. */
    @Test
    void anEndedJobGetsNoPin() {
        run("left-over", "job", Map.of());
        over.add("job");

        keeper.check();

        assertThat(asked).isEmpty();
        assertThat(keeper.lacking()).isZero();
    }

    @Test
    void theKeeperCancelsARequestWhenItsPodsHaveEnded() {
        isPinnedWhenAsked = false;
        run("w-0", "job", Map.of());
        keeper.check();

        pods.delete("w-0");
        lookLater();

        assertThat(cancelled).containsExactly("job");
    }

    @Test
    void theKeeperCancelsARequestWhenItsJobHasEnded() {
        isPinnedWhenAsked = false;
        run("left-over", "job", Map.of());
        keeper.check();

        over.add("job");
        lookLater();

        assertThat(cancelled).containsExactly("job");
    }

    /** The pin is held before the copy is complete. The fill is needed while the pods run. */
    @Test
    void theKeeperCancelsAnUnfinishedRequestWithAPinOnlyWhenItsPodsHaveEnded() {
        isPinnedWhenAsked = false;
        run("w-0", "job", Map.of());
        keeper.check();

        pin("job", VERSION);
        lookLater();
        assertThat(cancelled).isEmpty();
        assertThat(keeper.lacking()).isZero();

        pods.delete("w-0");
        lookLater();
        assertThat(cancelled).containsExactly("job");
    }

    @Test
    void theKeeperDoesNotCancelAnAnsweredRequest() {
        run("w-0", "job", Map.of());
        keeper.check();

        pods.delete("w-0");
        lookLater();

        assertThat(cancelled).isEmpty();
    }

    /** The gate, too, pins and releases pods during a round. */
    @Test
    void theKeeperNoticesAPinTakenDuringItsRound() {
        run("w-0", "job", Map.of());
        pods.beforeRunning = () -> pin("job", VERSION);

        keeper.check();

        assertThat(asked).isEmpty();
        assertThat(keeper.lacking()).isZero();
    }

    @Test
    void theKeeperRequestsNothingWhileTheApiServerIsDown() {
        run("w-0", "job", Map.of());
        pods.down = true;

        assertThatExceptionOfType(ForebayException.class).isThrownBy(keeper::check);

        pods.down = false;
        keeper.check();
        assertThat(asked).hasSize(1);
    }
}
