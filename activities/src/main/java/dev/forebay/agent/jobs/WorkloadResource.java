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

/** Kueue's Workload, as far as it is read: what pods are made of is large, and is not kept. */
@Group("kueue.x-k8s.io")
@Version("v1beta2")
@Kind("Workload")
@Plural("workloads")
public final class WorkloadResource
        extends CustomResource<WorkloadResource.Spec, WorkloadResource.Status>
        implements Namespaced {

    /**
     * What waits for quota.
     *
     * @param active whether it may have any; it may if nobody says so
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

    /** What they are made of. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Template(@Nullable ObjectMeta metadata) {}

    /** How far it is. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(List<Condition> conditions, List<Check> admissionChecks) {

        /** Of one that Kueue has not looked at. */
        static final Status NONE = new Status(null, null);

        public Status(@Nullable List<Condition> conditions, @Nullable List<Check> admissionChecks) {
            this.conditions = conditions == null ? List.of() : List.copyOf(conditions);
            this.admissionChecks =
                    admissionChecks == null ? List.of() : List.copyOf(admissionChecks);
        }
    }

    /** What the controller of an AdmissionCheck says of it. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Check(
            String name, String state, String lastTransitionTime, @Nullable String message) {}
}
