package dev.forebay.operator;

import static dev.forebay.operator.Samples.blocked;
import static dev.forebay.operator.Samples.dataset;
import static dev.forebay.operator.Samples.declared;
import static dev.forebay.operator.Samples.in;
import static dev.forebay.operator.Samples.seen;
import static dev.forebay.operator.Samples.spec;
import static dev.forebay.operator.Samples.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.operator.DatasetPlan.InRegion;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The steps for combinations of declared, recorded and observed state. */
class DatasetPlannerTest {

    private static final String EAST = "east";
    private static final String WEST = "west";
    private static final DatasetSpec.Tracking HOURLY = new DatasetSpec.Tracking(3600L, null);

    @Test
    void thePlanForAnUnregisteredDatasetOnlyRegistersIt() {
        RegionHolding old = new RegionHolding(EAST, "v1", "v1");

        DatasetPlan plan =
                DatasetPlanner.plan(
                        declared(spec("v1", HOURLY, EAST), old), ObservedDataset.NOTHING);

        assertThat(plan.first()).containsExactly(new PlanStep.Register(Samples.SOURCE));
        assertThat(plan.regions()).containsExactly(new InRegion(EAST, List.of(), old, List.of()));
    }

    @Test
    void thePlanRegistersADatasetThatOthersDeleted() {
        ObservedDataset deleted =
                new ObservedDataset(
                        Optional.of(dataset(Samples.URI, "2026-11-20T09:00:00Z")),
                        Optional.empty(),
                        Optional.empty());

        assertThat(DatasetPlanner.plan(declared(spec("v1", null)), deleted).first())
                .containsExactly(new PlanStep.Register(Samples.SOURCE));
    }

    @Test
    void thePlanRequestsTheVersionInEachRegion() {
        DatasetPlan plan = DatasetPlanner.plan(declared(spec("v1", null, EAST, WEST)), seen(null));

        assertThat(plan.first()).isEmpty();
        assertThat(plan.regions())
                .containsExactly(asked(EAST, "v1", null), asked(WEST, "v1", null));
    }

    private static InRegion asked(String region, String version, @Nullable String warm) {
        return new InRegion(
                region,
                List.of(),
                new RegionHolding(region, version, warm),
                List.of(new PlanStep.Ask(version, region)));
    }

    @Test
    void thePlanOnlyRenewsThePinOfACompleteCopy() {
        RegionHolding held = new RegionHolding(EAST, "v1", "v1");

        DatasetPlan plan =
                DatasetPlanner.plan(
                        declared(spec("v1", null, EAST), held),
                        seen(version("v1", List.of(in(EAST, "CACHED")), EAST)));

        assertThat(plan.regions())
                .containsExactly(
                        new InRegion(
                                EAST,
                                List.of(),
                                held,
                                List.of(new PlanStep.Renew("v1", EAST, true))));
    }

    @Test
    void thePlanRequestsACompleteCopyThatHasNoPin() {
        DatasetPlan plan =
                DatasetPlanner.plan(
                        declared(spec("v1", null, EAST)), seen(version("v1", in(EAST, "CACHED"))));

        assertThat(plan.regions()).containsExactly(asked(EAST, "v1", null));
    }

    @Test
    void aWarmVersionStaysPinnedUntilItsSuccessorIsWarm() {
        DeclaredDataset declared =
                declared(spec("latest", null, EAST), new RegionHolding(EAST, "v1", "v1"));

        InRegion filling =
                DatasetPlanner.plan(declared, seen(version("v2", in(EAST, "WARMING"))))
                        .regions()
                        .getFirst();
        assertThat(filling.release()).isEmpty();
        assertThat(filling.onRecord()).isEqualTo(new RegionHolding(EAST, "v2", "v1"));
        assertThat(filling.then())
                .containsExactly(
                        new PlanStep.Renew("v1", EAST, false), new PlanStep.Ask("v2", EAST));

        InRegion filled =
                DatasetPlanner.plan(
                                declared(
                                        spec("latest", null, EAST),
                                        new RegionHolding(EAST, "v2", "v1")),
                                seen(version("v2", List.of(in(EAST, "CACHED")), EAST)))
                        .regions()
                        .getFirst();
        assertThat(filled.release()).containsExactly(new PlanStep.Release("v1", EAST));
        assertThat(filled.onRecord()).isEqualTo(new RegionHolding(EAST, "v2", "v2"));
    }

    @Test
    void thePlanReleasesAnIncompleteVersionThatANewerOneReplaces() {
        DeclaredDataset declared =
                declared(spec("latest", null, EAST), new RegionHolding(EAST, "v2", "v1"));

        InRegion plan =
                DatasetPlanner.plan(declared, seen(version("v3", in(EAST, "WARMING"))))
                        .regions()
                        .getFirst();

        assertThat(plan.release()).containsExactly(new PlanStep.Release("v2", EAST));
        assertThat(plan.onRecord()).isEqualTo(new RegionHolding(EAST, "v3", "v1"));
    }

    @Test
    void thePlanDoesNotRetryABlockedVersion() {
        DeclaredDataset declared =
                declared(spec("latest", null, EAST), new RegionHolding(EAST, "v2", "v1"));

        assertThat(
                        DatasetPlanner.plan(declared, seen(version("v2", blocked(EAST))))
                                .regions()
                                .getFirst()
                                .then())
                .containsExactly(new PlanStep.Renew("v1", EAST, false));
    }

    @Test
    void thePlanReleasesARegionThatIsNoLongerDeclared() {
        DeclaredDataset declared = declared(spec("v1", null), new RegionHolding(EAST, "v2", "v1"));

        assertThat(DatasetPlanner.plan(declared, seen(null)).regions())
                .containsExactly(
                        new InRegion(
                                EAST,
                                List.of(
                                        new PlanStep.Release("v2", EAST),
                                        new PlanStep.Release("v1", EAST)),
                                null,
                                List.of()));
    }

    @Test
    void thePlanChecksForTheFirstVersionAtOnce() {
        DatasetPlan plan = DatasetPlanner.plan(declared(spec("latest", HOURLY, EAST)), seen(null));

        assertThat(plan.first()).containsExactly(new PlanStep.Follow(HOURLY), new PlanStep.Check());
        assertThat(plan.regions()).isEmpty();
    }

    @Test
    void thePlanAdjustsTrackingToTheSpec() {
        assertThat(firstStepsWhile(null, false)).containsExactly(new PlanStep.Unfollow());
        assertThat(firstStepsWhile(HOURLY, false)).isEmpty();
        assertThat(firstStepsWhile(HOURLY, true)).as("a person paused it").isEmpty();
        DatasetSpec.Tracking paused = new DatasetSpec.Tracking(null, true);
        assertThat(firstStepsWhile(paused, false)).containsExactly(new PlanStep.Follow(paused));
    }

    private static List<PlanStep> firstStepsWhile(
            DatasetSpec.@Nullable Tracking wanted, boolean paused) {
        return DatasetPlanner.plan(
                        declared(spec("v1", wanted)),
                        new ObservedDataset(
                                Optional.of(dataset(Samples.URI, null)),
                                Optional.of(new DatasetAnswers.Tracking(3600, paused, null)),
                                Optional.empty()))
                .first();
    }

    @Test
    void thePlanSetsATimeToLiveOnlyIfDeclared() {
        DatasetSpec spec =
                new DatasetSpec(Samples.SOURCE, null, "v1", List.of(), 60L, null, null, null);

        assertThat(DatasetPlanner.plan(declared(spec), seen(null)).first())
                .containsExactly(new PlanStep.SetTtl(60L, null));
        assertThat(DatasetPlanner.plan(declared(spec("v1", null)), seen(null)).first()).isEmpty();
    }

    @Test
    void thePlanForADeletedResourceReleasesEverything() {
        DeclaredDataset declared =
                declared(spec("v1", null, EAST), Samples.NOW, new RegionHolding(EAST, "v1", "v1"));

        DatasetPlan plan = DatasetPlanner.plan(declared, seen(version("v1", in(EAST, "CACHED"))));

        assertThat(plan.first()).containsExactly(new PlanStep.Delete());
        assertThat(plan.regions())
                .containsExactly(
                        new InRegion(
                                EAST, List.of(new PlanStep.Release("v1", EAST)), null, List.of()));
    }

    @Test
    void thePlanDoesNotDeleteADatasetWithAnotherSource() {
        ObservedDataset others =
                new ObservedDataset(
                        Optional.of(dataset("s3://lake/other/", null)),
                        Optional.empty(),
                        Optional.empty());

        assertThat(DatasetPlanner.plan(declared(spec("v1", null), Samples.NOW), others).first())
                .isEmpty();
    }
}
