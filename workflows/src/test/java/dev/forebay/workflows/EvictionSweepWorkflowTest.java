package dev.forebay.workflows;

import static dev.forebay.workflows.Platform.US;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.FakeRegion.Step;
import dev.forebay.workflows.activity.SweepActivities;
import dev.forebay.workflows.evict.EvictWorkflowImpl;
import dev.forebay.workflows.evict.EvictionSweepWorkflowImpl;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.Victim;
import io.temporal.client.WorkflowOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EvictionSweepWorkflowTest {

    private static final DatasetVersion LOST = DatasetVersion.of("team", "lost", "v1");

    private final TestWorkflowEnvironment environment = TestWorkflowEnvironment.newInstance();
    private final FakeRegion region =
            new FakeRegion(() -> Instant.ofEpochMilli(environment.currentTimeMillis()));

    @AfterEach
    void stop() {
        environment.close();
    }

    @Test
    void aFailedEvictionDoesNotStopTheSweep() {
        List<SweepActivities.Outcome> outcomes = sweep(new Swept(manyExpired(), true));
        assertThat(outcomes).hasSize(30);
        assertThat(outcomes).filteredOn(outcome -> !outcome.evicted()).hasSize(1);
        assertThat(outcomes.get(5).reason()).isEqualTo("somebody was quicker");
    }

    @Test
    void aSweepFencesAndDropsAnOrphan() {
        region.mount(LOST, FakeControlPlane.MANIFEST);

        List<SweepActivities.Outcome> outcomes = sweep(new Swept(List.of(orphan()), true));

        assertThat(outcomes)
                .containsExactly(
                        new SweepActivities.Outcome(
                                LOST, true, "nobody owns it", SweepReason.ORPHAN));
        assertThat(region.isEmpty()).isTrue();
        assertThat(region.count(Step.BEGIN_EVICTION)).isEqualTo(1);
    }

    @Test
    void aSweepKeepsAVersionThatIsNoLongerAnOrphan() {
        region.mount(LOST, FakeControlPlane.MANIFEST);

        List<SweepActivities.Outcome> outcomes = sweep(new Swept(List.of(orphan()), false));

        assertThat(outcomes).noneMatch(SweepActivities.Outcome::evicted);
        assertThat(region.count(Step.BEGIN_EVICTION)).isZero();
    }

    @Test
    void aSweepKeepsAPinnedOrphan() {
        region.mount(LOST, FakeControlPlane.MANIFEST);
        region.pinBehindTheWorkflow("p", Duration.ofDays(1));

        List<SweepActivities.Outcome> outcomes = sweep(new Swept(List.of(orphan()), true));

        assertThat(outcomes).noneMatch(SweepActivities.Outcome::evicted);
        assertThat(outcomes.getFirst().reason()).contains("PINNED");
        assertThat(region.isEmpty()).isFalse();
    }

    private static Victim orphan() {
        return new Victim(
                LOST, SweepReason.ORPHAN, "nobody owns it", 10, null, FakeControlPlane.MANIFEST);
    }

    private static List<Victim> manyExpired() {
        return IntStream.range(0, 30)
                .mapToObj(
                        i ->
                                new Victim(
                                        DatasetVersion.of("team", "digits", "v" + i),
                                        SweepReason.EXPIRED,
                                        "expired",
                                        1,
                                        null,
                                        null))
                .toList();
    }

    private List<SweepActivities.Outcome> sweep(SweepActivities activities) {
        var worker = environment.newWorker(TaskQueues.LIFECYCLE);
        worker.registerWorkflowImplementationTypes(
                EvictionSweepWorkflowImpl.class, EvictWorkflowImpl.class);
        worker.registerActivitiesImplementations(activities);
        environment.newWorker(TaskQueues.region(US)).registerActivitiesImplementations(region);
        environment.start();
        return environment
                .getWorkflowClient()
                .newWorkflowStub(
                        EvictionSweepWorkflow.class,
                        WorkflowOptions.newBuilder().setTaskQueue(TaskQueues.LIFECYCLE).build())
                .run(US);
    }

    private record Swept(List<Victim> victims, boolean orphaned) implements SweepActivities {

        @Override
        public List<Victim> findVictims(RegionName region, int limit) {
            return victims.subList(0, Math.min(victims.size(), limit));
        }

        @Override
        public Outcome evictVictim(Victim victim, RegionName region) {
            if (victim.version().version().equals("v5")) {
                throw Failures.of(new ForebayException(ErrorCode.PINNED, "somebody was quicker"));
            }
            return new Outcome(victim.version(), true, "", victim.reason());
        }

        @Override
        public boolean isOrphan(Victim victim, RegionName region) {
            return orphaned;
        }
    }
}
