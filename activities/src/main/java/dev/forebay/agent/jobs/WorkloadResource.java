package dev.forebay.agent.jobs;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of Kueue's Workload that the agent reads. The pod templates are large and are not
 * kept.
 */
@Group("kueue.x-k8s.io")
@Version("v1beta2")
@Kind("Workload")
@Plural("workloads")
public final class WorkloadResource
        extends CustomResource<WorkloadResource.Spec, WorkloadResource.Status>
        implements Namespaced {

    /**
     * The specification.
     *
     * @param active whether it may get quota; null means true
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Spec(@Nullable Boolean active, List<PodSet> podSets) {

        public Spec(@Nullable Boolean active, @Nullable List<PodSet> podSets) {
            this.active = active;
            this.podSets = podSets == null ? List.of() : List.copyOf(podSets);
        }
    }

    /** Pods that are the same. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record PodSet(String name, @Nullable Template template) {}

    /** The template of the pods. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Template(@Nullable ObjectMeta metadata) {}

    /** The status. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(List<Condition> conditions, List<Check> admissionChecks) {

        /** The status of a Workload that Kueue has not processed. */
        static final Status NONE = new Status(null, null);

        public Status(@Nullable List<Condition> conditions, @Nullable List<Check> admissionChecks) {
            this.conditions = conditions == null ? List.of() : List.copyOf(conditions);
            this.admissionChecks =
                    admissionChecks == null ? List.of() : List.copyOf(admissionChecks);
        }
    }

    /** The answer of an AdmissionCheck's controller. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Check(
            String name, String state, String lastTransitionTime, @Nullable String message) {}
}
