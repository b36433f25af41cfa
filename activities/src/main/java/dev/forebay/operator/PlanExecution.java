package dev.forebay.operator;

import dev.forebay.model.ForebayException;
import dev.forebay.operator.DatasetPlan.InRegion;
import dev.forebay.operator.PlanOutcome.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Executes a plan in this order: releases, records, requests. The record therefore covers
 * everything that may be held, at whichever point the process is killed.
 */
final class PlanExecution {

    private final DeclaredDataset declared;
    private final DatasetPlan plan;
    private final Consumer<PlanStep> take;
    private final Map<String, Problem> problems = new HashMap<>();

    private PlanExecution(DeclaredDataset declared, DatasetPlan plan, Consumer<PlanStep> take) {
        this.declared = declared;
        this.plan = plan;
        this.take = take;
    }

    /**
     * Executes as much as possible. A failure only stops the later steps of the same region.
     *
     * @param take executes a step, or throws {@link ForebayException}
     * @param writeDown records what may be held from now on; called only if that has changed; if it
     *     throws, no further step runs
     */
    static PlanOutcome of(
            DeclaredDataset declared,
            DatasetPlan plan,
            Consumer<PlanStep> take,
            Consumer<List<RegionHolding>> writeDown) {
        return new PlanExecution(declared, plan, take).run(writeDown);
    }

    private PlanOutcome run(Consumer<List<RegionHolding>> writeDown) {
        Optional<Problem> problem = takeAll(plan.first());
        plan.regions().forEach(it -> takeIn(it.region(), it.release()));
        List<RegionHolding> holdings =
                plan.regions().stream().flatMap(it -> held(it).stream()).toList();
        if (!holdings.equals(declared.status().holdings())) {
            writeDown.accept(holdings);
        }
        plan.regions().stream()
                .filter(it -> !problems.containsKey(it.region()))
                .forEach(it -> takeIn(it.region(), it.then()));
        return new PlanOutcome(problem, problems, holdings);
    }

    /** Keeps the old record of a region whose release failed. Nothing is requested there. */
    private List<RegionHolding> held(InRegion region) {
        List<RegionHolding> all = new ArrayList<>();
        if (problems.containsKey(region.region())) {
            declared.status().holdings().stream()
                    .filter(it -> it.region().equals(region.region()))
                    .forEach(all::add);
        } else if (region.onRecord() != null) {
            all.add(region.onRecord());
        }
        return all;
    }

    private void takeIn(String region, List<PlanStep> steps) {
        takeAll(steps).ifPresent(problem -> problems.put(region, problem));
    }

    private Optional<Problem> takeAll(List<PlanStep> steps) {
        try {
            steps.forEach(take);
            return Optional.empty();
        } catch (ForebayException failure) {
            return Optional.of(Problem.of(failure));
        }
    }
}
