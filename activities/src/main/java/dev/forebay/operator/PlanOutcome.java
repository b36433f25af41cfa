package dev.forebay.operator;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The outcome of a plan.
 *
 * @param problem of the dataset as a whole
 * @param regions the problems of regions, by name
 * @param holdings the record after the execution
 */
record PlanOutcome(
        Optional<Problem> problem, Map<String, Problem> regions, List<RegionHolding> holdings) {

    PlanOutcome {
        regions = Map.copyOf(regions);
        holdings = List.copyOf(holdings);
    }

    /** Why a step failed. */
    record Problem(ErrorCode code, String message) {

        static Problem of(ForebayException failure) {
            return new Problem(failure.code(), String.valueOf(failure.getMessage()));
        }
    }

    boolean isDone() {
        return problem.isEmpty() && regions.isEmpty();
    }
}
