package dev.forebay.control.planning;

import dev.forebay.control.planning.FillPlan.InRegion;
import dev.forebay.control.planning.FillPlan.Needs;
import dev.forebay.control.planning.FillPlan.Source;
import dev.forebay.control.planning.FillPlan.SpaceForecast;
import dev.forebay.control.planning.RegionRating.Verdict;
import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Ranks regions for a job from a {@link FillPlan}, first by {@link Verdict}. Regions with the same
 * verdict are ordered by the time until they are complete, cost, coverage, free capacity, and name.
 * Unknown values come last.
 *
 * @param currency the currency of costs; null if no price is configured
 * @param gpusAsked the number of GPUs that the job needs; null if it is unknown
 * @param gpusThere returns the maximum number of GPUs of a job in a region; null if not configured
 */
record RegionRatingRules(
        @Nullable String currency,
        @Nullable Integer gpusAsked,
        Function<InRegion, @Nullable Integer> gpusThere) {

    private static final int CENTS = 4;
    private static final int PERCENT = 100;

    private static final Comparator<RegionRating> BEST_FIRST =
            Comparator.comparing(RegionRating::verdict)
                    .thenComparing(
                            RegionRatingRules::likely,
                            Comparator.nullsLast(Comparator.naturalOrder()))
                    .thenComparing(
                            RegionRating::cost, Comparator.nullsLast(Comparator.naturalOrder()))
                    .thenComparing(
                            RegionRating::coverage, Comparator.nullsLast(Comparator.reverseOrder()))
                    .thenComparing(
                            RegionRating::freeBytes,
                            Comparator.nullsLast(Comparator.reverseOrder()))
                    .thenComparing(placement -> placement.region().value());

    private static @Nullable Duration likely(RegionRating placement) {
        FillSpeed.Estimate time = placement.time();
        return time == null ? null : time.likely();
    }

    /** Returns the regions, the best first. */
    List<RegionRating> rank(List<InRegion> regions) {
        return regions.stream().map(this::of).sorted(BEST_FIRST).toList();
    }

    private RegionRating of(InRegion in) {
        Integer there = gpusThere.apply(in);
        Needs needs = in.needs();
        SpaceForecast space = in.space();
        Source source = in.sources().stream().filter(Source::used).findFirst().orElse(null);
        Verdict verdict = verdict(in, there);
        List<String> reasons = new ArrayList<>();
        gpus(reasons, in, there);
        Problem problem = in.problem();
        if (problem != null) {
            reasons.add("%s: %s".formatted(problem.code(), problem.message()));
        }
        if (needs != null) {
            bytes(reasons, needs);
            if (needs.bytesMissing() > 0) {
                time(reasons, in);
                cost(reasons, source);
            }
        }
        if (space != null && verdict != Verdict.WARM) {
            space(reasons, space);
        }
        return new RegionRating(
                in.region(),
                in.state(),
                verdict,
                needs == null ? null : coverage(needs),
                space == null ? null : free(space),
                in.time(),
                source == null ? null : source.cost(),
                there,
                reasons);
    }

    private Verdict verdict(InRegion in, @Nullable Integer there) {
        Needs needs = in.needs();
        SpaceForecast space = in.space();
        if (gpusAsked != null && there != null && there < gpusAsked) {
            return Verdict.TOO_FEW_GPUS;
        }
        if (needs == null || space == null) {
            return Verdict.UNKNOWN;
        }
        if (in.state() == Residency.State.CACHED && needs.bytesMissing() == 0 && needs.exact()) {
            return Verdict.WARM;
        }
        return switch (space.decision().admission()) {
            case ADMITTED -> Verdict.CAN_BE_FILLED;
            case AFTER_EVICTION -> Verdict.AFTER_EVICTION;
            case WAITS -> Verdict.WAITS;
            case REFUSED -> Verdict.REFUSED;
        };
    }

    private void gpus(List<String> reasons, InRegion in, @Nullable Integer there) {
        if (gpusAsked == null) {
            return;
        }
        reasons.add(
                there == null
                        ? "its number of GPUs is not configured (forebay.regions.%s.gpus)"
                                .formatted(in.region())
                        : "it has %d GPUs, and the job needs %d".formatted(there, gpusAsked));
    }

    private static void bytes(List<String> reasons, Needs needs) {
        if (needs.bytesMissing() == 0) {
            reasons.add(
                    needs.exact()
                            ? "all bytes are present"
                            : "all bytes are present according to the workers that answer");
            return;
        }
        reasons.add(
                say(
                        "%s%d %% of the bytes are present, %,d are missing",
                        needs.exact() ? "" : "about ",
                        (long) (coverage(needs) * PERCENT),
                        needs.bytesMissing()));
    }

    private static void time(List<String> reasons, InRegion in) {
        FillSpeed.Estimate time = in.time();
        reasons.add(
                time == null
                        ? "the time of a fill is unknown, because the region has filled too "
                                + "little recently"
                        : say(
                                "at the rate of recent fills it would take about %,d seconds, "
                                        + "from %,d to %,d",
                                time.likely().toSeconds(),
                                time.least().toSeconds(),
                                time.most().toSeconds()));
    }

    private void cost(List<String> reasons, @Nullable Source source) {
        BigDecimal cost = source == null ? null : source.cost();
        if (source == null || cost == null || currency == null) {
            return;
        }
        reasons.add(
                "it would cost %s %s, from %s"
                        .formatted(
                                cost.setScale(CENTS, RoundingMode.HALF_UP).toPlainString(),
                                currency,
                                source.region() == null ? "the lake" : source.region()));
    }

    private static void space(List<String> reasons, SpaceForecast space) {
        Problem problem = space.decision().problem();
        if (problem != null) {
            reasons.add("%s: %s".formatted(problem.code(), problem.message()));
        }
        switch (space.decision().admission()) {
            case ADMITTED -> reasons.add(say("%,d bytes are free", free(space)));
            case AFTER_EVICTION ->
                    reasons.add(
                            say("%d versions would be evicted", space.decision().victims().size()));
            case WAITS -> {
                if (space.decision().notBefore() != null) {
                    reasons.add(
                            "the pins that prevent evictions there end at "
                                    + space.decision().notBefore());
                }
            }
            case REFUSED -> {}
        }
    }

    private static double coverage(Needs needs) {
        return needs.bytes() == 0
                ? 1
                : (double) (needs.bytes() - needs.bytesMissing()) / needs.bytes();
    }

    private static long free(SpaceForecast space) {
        return Math.max(0, space.capacityBytes() - space.takenBytes());
    }

    /** Error Prone cannot check {@code format}, but every call passes a literal. */
    @SuppressWarnings("AnnotateFormatMethod")
    private static String say(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
