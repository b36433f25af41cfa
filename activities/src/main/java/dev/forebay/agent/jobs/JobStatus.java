package dev.forebay.agent.jobs;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads from an object's status whether it has ended, so that none of its pods runs or will run.
 * Each kind reports that in one of a few ways.
 */
final class JobStatus {

    /** Conditions of Jobs, JobSets, Kubeflow's jobs, and Kueue's Workloads. */
    private static final Set<String> CONDITIONS =
            Set.of("Complete", "Completed", "Succeeded", "Failed", "Finished");

    /** Phases of pods, of Volcano's jobs, and of RayJobs. */
    private static final Set<String> PHASES =
            Set.of("Succeeded", "Failed", "Completed", "Terminated", "Complete");

    private JobStatus() {}

    static boolean isOver(GenericKubernetesResource object) {
        return object.getAdditionalProperties().get("status") instanceof Map<?, ?> status
                && (hasEndingCondition(status.get("conditions"))
                        || isEndingPhase(status.get("phase"))
                        || isEndingPhase(status.get("jobDeploymentStatus"))
                        || isEndingState(status.get("state")));
    }

    private static boolean isEndingState(@Nullable Object state) {
        return state instanceof Map<?, ?> of && isEndingPhase(of.get("phase"));
    }

    private static boolean hasEndingCondition(@Nullable Object conditions) {
        return conditions instanceof List<?> list
                && list.stream()
                        .anyMatch(
                                each ->
                                        each instanceof Map<?, ?> condition
                                                && isEnding(
                                                        condition.get("type"),
                                                        condition.get("status")));
    }

    /** Returns whether a Job has this condition only after its end. */
    static boolean isEnding(@Nullable Object type, @Nullable Object status) {
        return type instanceof String name && CONDITIONS.contains(name) && "True".equals(status);
    }

    private static boolean isEndingPhase(@Nullable Object phase) {
        return phase instanceof String name && PHASES.contains(name);
    }
}
