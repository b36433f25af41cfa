package dev.forebay.operator;

import dev.forebay.model.ForebayException;
import dev.forebay.operator.Outcome.Problem;
import dev.forebay.operator.Plan.InRegion;
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
final class Execution {

    private final Declared declared;
    private final Plan plan;
    private final Consumer<Step> take;
    private final Map<String, Problem> problems = new HashMap<>();

    private Execution(Declared declared, Plan plan, Consumer<Step> take) {
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
    static Outcome of(
            Declared declared, Plan plan, Consumer<Step> take, Consumer<List<Holding>> writeDown) {
        return new Execution(declared, plan, take).run(writeDown);
    }

    private Outcome run(Consumer<List<Holding>> writeDown) {
        Optional<Problem> problem = takeAll(plan.first());
        plan.regions().forEach(it -> takeIn(it.region(), it.release()));
        List<Holding> holdings = plan.regions().stream().flatMap(it -> held(it).stream()).toList();
        if (!holdings.equals(declared.status().holdings())) {
            writeDown.accept(holdings);
        }
        plan.regions().stream()
                .filter(it -> !problems.containsKey(it.region()))
                .forEach(it -> takeIn(it.region(), it.then()));
        return new Outcome(problem, problems, holdings);
    }

    /** Keeps the old record of a region whose release failed. Nothing is requested there. */
    private List<Holding> held(InRegion region) {
        List<Holding> all = new ArrayList<>();
        if (problems.containsKey(region.region())) {
            declared.status().holdings().stream()
                    .filter(it -> it.region().equals(region.region()))
                    .forEach(all::add);
        } else if (region.onRecord() != null) {
            all.add(region.onRecord());
        }
        return all;
    }

    private void takeIn(String region, List<Step> steps) {
        takeAll(steps).ifPresent(problem -> problems.put(region, problem));
    }

    private Optional<Problem> takeAll(List<Step> steps) {
        try {
            steps.forEach(take);
            return Optional.empty();
        } catch (ForebayException failure) {
            return Optional.of(Problem.of(failure));
        }
    }
}
