package dev.forebay.operator;

import dev.forebay.operator.DatasetAnswers.Residency;
import dev.forebay.operator.DatasetAnswers.Version;
import dev.forebay.operator.DatasetPlan.InRegion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares the declared with the observed state. A pure function of its arguments: after any
 * failure, the next reconciliation finds the remaining steps.
 *
 * <p>A version that is warm in a region stays warm until its successor is. A newer version replaces
 * an older one only when it is complete there. A BLOCKED fill is left to people.
 */
final class DatasetPlanner {

    private DatasetPlanner() {}

    /** Returns the steps to do now. */
    static DatasetPlan plan(DeclaredDataset declared, ObservedDataset seen) {
        return declared.deletedAt() == null ? keep(declared, seen) : letGo(declared, seen);
    }

    private static DatasetPlan keep(DeclaredDataset declared, ObservedDataset seen) {
        Optional<DatasetAnswers.Dataset> registered =
                seen.dataset()
                        .filter(it -> it.isOf(declared.spec().source()))
                        .filter(it -> it.deletedAt() == null);
        // All other requests need the registration.
        return registered
                .map(
                        it ->
                                new DatasetPlan(
                                        settings(declared.spec(), it, seen),
                                        regions(declared, seen)))
                .orElseGet(
                        () ->
                                new DatasetPlan(
                                        List.of(new PlanStep.Register(declared.spec().source())),
                                        declared.status().holdings().stream()
                                                .map(DatasetPlanner::unchanged)
                                                .toList()));
    }

    private static List<PlanStep> settings(
            DatasetSpec spec, DatasetAnswers.Dataset dataset, ObservedDataset seen) {
        List<PlanStep> steps = new ArrayList<>();
        if (differs(spec.ttlSeconds(), dataset.ttlSeconds())
                || differs(spec.ttlAfter(), dataset.ttlAfter())) {
            steps.add(new PlanStep.SetTtl(spec.ttlSeconds(), spec.ttlAfter()));
        }
        DatasetSpec.Tracking wanted = spec.tracking();
        if (wanted == null) {
            seen.tracking().ifPresent(_ -> steps.add(new PlanStep.Unfollow()));
            return steps;
        }
        if (seen.tracking().filter(it -> isAs(wanted, it)).isEmpty()) {
            steps.add(new PlanStep.Follow(wanted));
        }
        if (isFirstAwaited(spec, seen)) {
            steps.add(new PlanStep.Check());
        }
        return steps;
    }

    /**
     * Returns whether to check the source now, so that the first version need not wait for the
     * interval.
     */
    private static boolean isFirstAwaited(DatasetSpec spec, ObservedDataset seen) {
        return spec.version().equals(DatasetSpec.LATEST)
                && seen.version().isEmpty()
                && seen.tracking().filter(it -> it.lastCheck() != null).isEmpty();
    }

    private static boolean isAs(DatasetSpec.Tracking wanted, DatasetAnswers.Tracking there) {
        return !differs(wanted.intervalSeconds(), there.intervalSeconds())
                && !differs(wanted.paused(), there.paused());
    }

    private static boolean differs(@Nullable Object wanted, Object there) {
        return wanted != null && !wanted.equals(there);
    }

    private static List<InRegion> regions(DeclaredDataset declared, ObservedDataset seen) {
        Optional<String> version = meant(declared.spec(), seen);
        Map<String, RegionHolding> recorded = recorded(declared);
        Set<String> wanted = new LinkedHashSet<>(declared.spec().regions());
        List<InRegion> plans = new ArrayList<>();
        for (String region : wanted) {
            RegionHolding there = recorded.remove(region);
            if (version.isPresent()) {
                plans.add(keep(declared, seen, version.get(), region, there));
            } else if (there != null) {
                plans.add(unchanged(there));
            }
        }
        recorded.values().forEach(there -> plans.add(letGo(there)));
        return plans;
    }

    /** Returns the name of the version to keep warm. Empty if there is none yet. */
    private static Optional<String> meant(DatasetSpec spec, ObservedDataset seen) {
        return seen.version()
                .map(Version::version)
                .or(
                        () ->
                                Optional.of(spec.version())
                                        .filter(name -> !name.equals(DatasetSpec.LATEST)));
    }

    private static InRegion keep(
            DeclaredDataset declared,
            ObservedDataset seen,
            String version,
            String region,
            @Nullable RegionHolding recorded) {
        Residency there =
                seen.version().flatMap(it -> it.in(region)).orElseGet(() -> Residency.none(region));
        boolean pinned =
                seen.version().filter(it -> it.isPinned(region, declared.pin())).isPresent();
        boolean warm = there.isCached() && pinned;
        String kept = warm ? version : predecessor(version, recorded);
        List<PlanStep> release =
                (recorded == null ? Set.<String>of() : recorded.versions())
                        .stream()
                                .filter(old -> !old.equals(version) && !old.equals(kept))
                                .<PlanStep>map(old -> new PlanStep.Release(old, region))
                                .toList();
        List<PlanStep> then = new ArrayList<>();
        if (kept != null && !kept.equals(version)) {
            then.add(new PlanStep.Renew(kept, region, false));
        }
        if (pinned) {
            then.add(new PlanStep.Renew(version, region, warm));
        }
        if (!warm && !there.isBlocked()) {
            then.add(new PlanStep.Ask(version, region));
        }
        return new InRegion(region, release, new RegionHolding(region, version, kept), then);
    }

    /** Returns the version that was complete there before and is kept until this one is. */
    private static @Nullable String predecessor(String version, @Nullable RegionHolding recorded) {
        if (recorded == null || recorded.warm() == null || recorded.warm().equals(version)) {
            return null;
        }
        return recorded.warm();
    }

    private static DatasetPlan letGo(DeclaredDataset declared, ObservedDataset seen) {
        // If the source differs, another owner has a dataset of this name.
        List<PlanStep> delete =
                seen.dataset()
                        .filter(it -> it.isOf(declared.spec().source()))
                        .filter(it -> it.deletedAt() == null)
                        .map(_ -> List.<PlanStep>of(new PlanStep.Delete()))
                        .orElse(List.of());
        return new DatasetPlan(
                delete, declared.status().holdings().stream().map(DatasetPlanner::letGo).toList());
    }

    private static InRegion letGo(RegionHolding holding) {
        return new InRegion(
                holding.region(),
                holding.versions().stream()
                        .<PlanStep>map(version -> new PlanStep.Release(version, holding.region()))
                        .toList(),
                null,
                List.of());
    }

    /** Keeps the record without a request, because the declared version is not known yet. */
    private static InRegion unchanged(RegionHolding holding) {
        return new InRegion(holding.region(), List.of(), holding, List.of());
    }

    private static Map<String, RegionHolding> recorded(DeclaredDataset declared) {
        return declared.status().holdings().stream()
                .collect(
                        Collectors.toMap(
                                RegionHolding::region,
                                Function.identity(),
                                (one, _) -> one,
                                LinkedHashMap::new));
    }
}
