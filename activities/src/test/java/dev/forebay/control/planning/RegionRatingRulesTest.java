package dev.forebay.control.planning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.control.planning.FillPlan.InRegion;
import dev.forebay.control.planning.FillPlan.Needs;
import dev.forebay.control.planning.FillPlan.Source;
import dev.forebay.control.planning.FillPlan.SpaceForecast;
import dev.forebay.control.planning.RegionRating.Verdict;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.FillSpeed.Estimate;
import dev.forebay.service.space.SpaceReservation.Admission;
import dev.forebay.service.space.SpaceReservation.Decision;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency.State;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** "Placements" in docs/semantics.md. */
class RegionRatingRulesTest {

    private static final long BYTES = 1_000;
    private static final Problem FULL = new Problem(ErrorCode.CAPACITY_EXCEEDED, "it is full");

    private final RegionRatingRules rules = new RegionRatingRules("EUR", null, _ -> null);

    @Test
    void regionsAreRankedByVerdictFirst() {
        assertThat(
                        ranked(
                                rules,
                                region("refused", 1_000, Admission.REFUSED, 1L, "0"),
                                unknown("unknown"),
                                region("waits", 1_000, Admission.WAITS, 1L, "0"),
                                region("evicts", 1_000, Admission.AFTER_EVICTION, 1L, "0"),
                                region("fills", 1_000, Admission.ADMITTED, 900L, "9"),
                                warm("warm")))
                .containsExactly("warm", "fills", "evicts", "waits", "unknown", "refused");
    }

    @Test
    void equalVerdictsAreRankedByTimeCostCoverageSpaceAndName() {
        assertThat(
                        ranked(
                                rules,
                                region("unknown-time", 10, Admission.ADMITTED, null, "0"),
                                region("slow", 10, Admission.ADMITTED, 50L, "0"),
                                region("dear", 10, Admission.ADMITTED, 20L, "3"),
                                region("no-price", 10, Admission.ADMITTED, 20L, null),
                                region("less", 90, Admission.ADMITTED, 20L, "2"),
                                withFree(region("roomy", 10, Admission.ADMITTED, 20L, "2"), 700),
                                region("b", 10, Admission.ADMITTED, 20L, "2"),
                                region("a", 10, Admission.ADMITTED, 20L, "2")))
                .containsExactly(
                        "roomy", "a", "b", "less", "dear", "no-price", "slow", "unknown-time");
    }

    @Test
    void aVersionIsWarmOnlyIfItIsCachedAndAllWorkersAnswer() {
        assertThat(of(warm("w")).verdict()).isEqualTo(Verdict.WARM);
        assertThat(of(nothingMissing(State.WARMING, true)).verdict())
                .isEqualTo(Verdict.CAN_BE_FILLED);
        RegionRating inDoubt = of(nothingMissing(State.CACHED, false));
        assertThat(inDoubt.verdict()).isEqualTo(Verdict.CAN_BE_FILLED);
        assertThat(inDoubt.reasons())
                .first()
                .asString()
                .contains("according to the workers that " + "answer");
    }

    @Test
    void aRegionWithTooFewGpusIsLastEvenIfItIsWarm() {
        RegionRatingRules many =
                new RegionRatingRules(
                        null, 8, in -> Map.of("warm", 4, "cold", 8).get(in.region().value()));

        List<RegionRating> places =
                many.rank(
                        List.of(
                                warm("warm"),
                                region("unstated", 10, Admission.REFUSED, 1L, null),
                                region("cold", 10, Admission.ADMITTED, 1L, null)));

        assertThat(places)
                .extracting(place -> place.region().value())
                .containsExactly("cold", "unstated", "warm");
        assertThat(places.get(0).reasons()).contains("it has 8 GPUs, and the job needs 8");
        assertThat(places.get(1).reasons())
                .contains("its number of GPUs is not configured (forebay.regions.unstated.gpus)");
        assertThat(places.get(1).gpus()).isNull();
        assertThat(places.get(2).verdict()).isEqualTo(Verdict.TOO_FEW_GPUS);
        assertThat(places.get(2).gpus()).isEqualTo(4);
    }

    @Test
    void reasonsExplainTheRank() {
        RegionRating place = of(region("r", 600, Admission.ADMITTED, 7L, "1.25"));

        assertThat(place.coverage()).isEqualTo(0.4);
        assertThat(place.freeBytes()).isEqualTo(500);
        assertThat(place.time()).isEqualTo(estimate(7));
        assertThat(place.cost()).isEqualTo("1.25");
        assertThat(place.reasons())
                .containsExactly(
                        "40 % of the bytes are present, 600 are missing",
                        "at the rate of recent fills it would take about 7 seconds, from 3 to 15",
                        "it would cost 1.2500 EUR, from the lake",
                        "500 bytes are free");
        assertThat(of(region("r", 600, Admission.WAITS, null, null)).reasons())
                .containsExactly(
                        "40 % of the bytes are present, 600 are missing",
                        "the time of a fill is unknown, because the region has filled too little "
                                + "recently",
                        "CAPACITY_EXCEEDED: it is full");
        assertThat(of(unknown("r")).reasons()).containsExactly("UNAVAILABLE: no agent");
    }

    @Test
    void anEmptyVersionHasFullCoverage() {
        InRegion empty =
                new InRegion(
                        new RegionName("r"),
                        State.CACHED,
                        new Needs(0, 3, 0, 0, 0, true, false),
                        List.of(),
                        space(Admission.ADMITTED, 0),
                        null,
                        Estimate.NOTHING,
                        null);

        assertThat(of(empty).coverage()).isEqualTo(1);
        assertThat(of(empty).freeBytes()).as("more is taken than there is").isZero();
    }

    private RegionRating of(InRegion region) {
        return rules.rank(List.of(region)).getFirst();
    }

    private static List<String> ranked(RegionRatingRules rules, InRegion... regions) {
        return rules.rank(List.of(regions)).stream().map(place -> place.region().value()).toList();
    }

    private static InRegion warm(String name) {
        return region(name, State.CACHED, 0, true, space(Admission.ADMITTED, 1_000), 0L, "0");
    }

    private static InRegion nothingMissing(State state, boolean exact) {
        return region("r", state, 0, exact, space(Admission.ADMITTED, 1_000), 0L, "0");
    }

    private static InRegion region(
            String name,
            long missing,
            Admission admission,
            @Nullable Long seconds,
            @Nullable String cost) {
        return region(name, State.ABSENT, missing, true, space(admission, 1_000), seconds, cost);
    }

    private static InRegion withFree(InRegion in, long free) {
        return new InRegion(
                in.region(),
                in.state(),
                in.needs(),
                in.sources(),
                space(Admission.ADMITTED, 500 + free),
                in.bytesPerSecond(),
                in.time(),
                in.problem());
    }

    private static InRegion region(
            String name,
            State state,
            long missing,
            boolean exact,
            SpaceForecast space,
            @Nullable Long seconds,
            @Nullable String cost) {
        return new InRegion(
                new RegionName(name),
                state,
                new Needs(BYTES, 10, missing, 1, 1, exact, false),
                List.of(
                        new Source(Source.Kind.REGION, new RegionName("other"), null, false),
                        new Source(
                                Source.Kind.LAKE,
                                null,
                                cost == null ? null : new BigDecimal(cost),
                                true)),
                space,
                null,
                seconds == null ? null : estimate(seconds),
                null);
    }

    private static Estimate estimate(long seconds) {
        return new Estimate(
                Duration.ofSeconds(seconds / 2),
                Duration.ofSeconds(seconds),
                Duration.ofSeconds(2 * seconds + 1));
    }

    private static InRegion unknown(String name) {
        return new InRegion(
                new RegionName(name),
                State.ABSENT,
                null,
                List.of(),
                null,
                null,
                null,
                new Problem(ErrorCode.UNAVAILABLE, "no agent"));
    }

    /** Returns a forecast in which 500 bytes are taken. */
    private static SpaceForecast space(Admission admission, long capacity) {
        return new SpaceForecast(
                new Decision(
                        admission,
                        List.of(),
                        admission == Admission.ADMITTED ? null : FULL,
                        false,
                        null),
                1,
                500,
                capacity);
    }
}
