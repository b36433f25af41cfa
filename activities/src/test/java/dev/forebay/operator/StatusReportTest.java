package dev.forebay.operator;

import static dev.forebay.operator.Samples.blocked;
import static dev.forebay.operator.Samples.in;
import static dev.forebay.operator.Samples.spec;
import static dev.forebay.operator.Samples.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.operator.DatasetAnswers.Pin;
import dev.forebay.operator.DatasetEvent.Kind;
import dev.forebay.operator.DatasetStatus.Condition;
import dev.forebay.operator.PlanOutcome.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The status that people see after a reconciliation. */
class StatusReportTest {

    private static final DeclaredDataset DECLARED =
            Samples.declared(spec("v1", null, "east", "west"));
    private static final ObservedDataset FILLING =
            Samples.seen(
                    version("v1", List.of(in("east", "CACHED"), in("west", "WARMING")), "east"));

    private static PlanOutcome done(RegionHolding... holdings) {
        return new PlanOutcome(Optional.empty(), Map.of(), List.of(holdings));
    }

    private static DatasetStatus report(ObservedDataset seen, PlanOutcome outcome) {
        return StatusReport.of(DECLARED, seen, outcome, Samples.NOW);
    }

    private static PlanOutcome filling() {
        return done(new RegionHolding("east", "v1", "v1"), new RegionHolding("west", "v1", null));
    }

    private static Condition condition(DatasetStatus status, String type) {
        return status.condition(type).orElseThrow();
    }

    @Test
    void theStatusShowsWhichRegionsAreWarm() {
        DatasetStatus status = report(FILLING, filling());

        assertThat(status.state()).isEqualTo("Warming");
        assertThat(status.warm()).isEqualTo("1/2");
        assertThat(status.version()).isEqualTo("v1");
        assertThat(status.bytes()).isEqualTo(10);
        assertThat(status.regions()).extracting(it -> it.percent()).containsExactly(100, 40);
        assertThat(condition(status, "Accepted").status()).isEqualTo("True");
        assertThat(condition(status, "Warm").message())
                .isEqualTo("team/digits@v1 is being filled in west");
        assertThat(status.condition("Followed")).isEmpty();
    }

    @Test
    void theStatusShowsWhyARegionIsBlocked() {
        DatasetStatus status =
                report(
                        Samples.seen(version("v1", in("east", "CACHED"), blocked("west"))),
                        filling());

        assertThat(status.state()).isEqualTo("Blocked");
        assertThat(condition(status, "Warm").message())
                .isEqualTo("west: a.txt has changed in the lake");
    }

    @Test
    void theStatusShowsWhyARegionFails() {
        PlanOutcome outcome =
                new PlanOutcome(
                        Optional.empty(),
                        Map.of("west", new Problem(ErrorCode.UNKNOWN_REGION, "no such region")),
                        filling().holdings());

        DatasetStatus status = report(FILLING, outcome);

        assertThat(status.state()).isEqualTo("UnknownRegion");
        assertThat(status.regions().getLast().message()).isEqualTo("no such region");
    }

    @Test
    void theStatusShowsWhyTheResourceIsNotAccepted() {
        DatasetStatus status =
                report(
                        ObservedDataset.NOTHING,
                        new PlanOutcome(
                                Optional.of(
                                        new Problem(ErrorCode.ALREADY_EXISTS, "choose another")),
                                Map.of(),
                                List.of()));

        assertThat(status.state()).isEqualTo("AlreadyExists");
        assertThat(condition(status, "Accepted").message()).isEqualTo("choose another");
    }

    @Test
    void theStatusKeepsItsValuesWhileTheControlPlaneIsUnavailable() {
        DatasetStatus before = report(FILLING, filling());
        DeclaredDataset declared = with(before);

        DatasetStatus status =
                StatusReport.unseen(
                        declared, new Problem(ErrorCode.UNAVAILABLE, "no answer"), Samples.NOW);

        assertThat(status.state()).isEqualTo("Unavailable");
        assertThat(condition(status, "Accepted").status()).isEqualTo("Unknown");
        assertThat(condition(status, "Warm")).isEqualTo(condition(before, "Warm"));
        assertThat(status.regions()).isEqualTo(before.regions());
    }

    @Test
    void aPermanentRefusalMakesTheResourceNotAccepted() {
        String rule = "version 'a b' must be 1 to 127 characters";

        DatasetStatus status =
                StatusReport.unseen(
                        DECLARED, new Problem(ErrorCode.INVALID_ARGUMENT, rule), Samples.NOW);

        assertThat(status.state()).isEqualTo("InvalidArgument");
        assertThat(condition(status, "Accepted").status()).isEqualTo("False");
        assertThat(condition(status, "Accepted").message()).isEqualTo(rule);
    }

    private static DeclaredDataset with(DatasetStatus status) {
        return new DeclaredDataset(
                DECLARED.namespace(),
                DECLARED.name(),
                DECLARED.uid(),
                DECLARED.generation(),
                DECLARED.spec(),
                status,
                null);
    }

    @Test
    void anUnchangedConditionKeepsItsTransitionTime() {
        DatasetStatus before = report(FILLING, filling());

        DatasetStatus after =
                StatusReport.of(
                        with(before), FILLING, filling(), Samples.NOW.plus(Duration.ofHours(1)));

        assertThat(after).isEqualTo(before);
    }

    @Test
    void theStatusShowsOtherPinHolders() {
        DatasetAnswers.Version version = version("v1", List.of(in("east", "CACHED")), "east");
        List<Pin> pins = new ArrayList<>(version.pins());
        for (int i = 1; i <= 3; i++) {
            pins.add(new Pin("p" + i, "east", "job train-" + i));
        }

        DatasetStatus status =
                report(
                        Samples.seen(
                                new DatasetAnswers.Version(
                                        "v1",
                                        version.manifest(),
                                        version.origin(),
                                        version.regions(),
                                        pins)),
                        filling());

        assertThat(status.heldBy()).isEqualTo("job train-1 and 2 more");
        assertThat(report(FILLING, filling()).heldBy()).isNull();
    }

    @Test
    void eventsReportEachChangeOnce() {
        DatasetStatus filling = report(FILLING, filling());
        DatasetStatus complete =
                report(
                        Samples.seen(
                                version(
                                        "v1",
                                        List.of(in("east", "CACHED"), in("west", "CACHED")),
                                        "east",
                                        "west")),
                        done(
                                new RegionHolding("east", "v1", "v1"),
                                new RegionHolding("west", "v1", "v1")));

        assertThat(DatasetEvent.between(DatasetStatus.NONE, filling))
                .extracting(DatasetEvent::reason)
                .containsExactly("Registered", "Warming", "RegionWarm");
        assertThat(DatasetEvent.between(filling, filling)).isEmpty();
        assertThat(DatasetEvent.between(filling, complete))
                .containsExactly(
                        new DatasetEvent(
                                Kind.NORMAL, "Cached", "team/digits@v1 is complete in east, west"),
                        new DatasetEvent(Kind.NORMAL, "RegionWarm", "v1 is complete in west"));
        assertThat(DatasetEvent.between(complete, complete)).isEmpty();
    }

    @Test
    void aBlockedRegionCausesAWarning() {
        DatasetStatus blocked = report(Samples.seen(version("v1", blocked("west"))), filling());

        assertThat(DatasetEvent.between(report(FILLING, filling()), blocked))
                .extracting(DatasetEvent::kind)
                .containsExactly(Kind.WARNING);
    }

    @Test
    void theStatusOfADeletedResourceShowsWhatItWaitsFor() {
        DeclaredDataset deleted =
                Samples.declared(
                        spec("v1", null, "east", "west"),
                        Samples.NOW,
                        new RegionHolding("east", "v1", "v1"),
                        new RegionHolding("west", "v1", null));
        PlanOutcome outcome =
                new PlanOutcome(
                        Optional.empty(),
                        Map.of("east", new Problem(ErrorCode.UNAVAILABLE, "east is away")),
                        List.of(new RegionHolding("east", "v1", "v1")));

        DatasetStatus status =
                StatusReport.of(deleted, ObservedDataset.NOTHING, outcome, Samples.NOW);

        assertThat(status.state()).isEqualTo("Releasing");
        assertThat(condition(status, "Released").message()).isEqualTo("east is away");
        assertThat(status.regions())
                .containsExactly(deleted.status().regions().getFirst().with("east is away"));
    }

    /** The time is recorded, because the next replica to reconcile has not seen the failure. */
    @Test
    void theReleaseTimeoutCountsFromTheFirstFailureOfAnyReplica() {
        Duration timeout = Duration.ofMinutes(5);
        Instant later = Samples.NOW.plus(timeout);
        PlanOutcome outcome =
                new PlanOutcome(
                        Optional.empty(),
                        Map.of("east", new Problem(ErrorCode.UNAVAILABLE, "east is away")),
                        List.of(new RegionHolding("east", "v1", "v1")));
        DeclaredDataset deleted =
                Samples.declared(
                        spec("v1", null, "east"),
                        Samples.NOW,
                        new RegionHolding("east", "v1", "v1"));

        DatasetStatus first =
                StatusReport.of(deleted, ObservedDataset.NOTHING, outcome, Samples.NOW);
        assertThat(first.isStuck(timeout, Samples.NOW)).isFalse();
        assertThat(first.isStuck(Duration.ZERO, Samples.NOW)).isTrue();

        DeclaredDataset read =
                new DeclaredDataset("team", "digits", "u", 1, deleted.spec(), first, Samples.NOW);
        DatasetStatus next = StatusReport.of(read, ObservedDataset.NOTHING, outcome, later);
        assertThat(next.isStuck(timeout, later.minusSeconds(1))).isFalse();
        assertThat(next.isStuck(timeout, later)).isTrue();
        assertThat(report(FILLING, filling()).isStuck(Duration.ZERO, later)).isFalse();
    }
}
