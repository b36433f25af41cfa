package dev.forebay.agent.jobs;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields of Kueue's AdmissionCheck that the agent reads. */
@Group("kueue.x-k8s.io")
@Version("v1beta2")
@Kind("AdmissionCheck")
@Plural("admissionchecks")
public final class AdmissionCheckResource
        extends CustomResource<AdmissionCheckResource.Spec, AdmissionCheckResource.Status> {

    /**
     * The specification.
     *
     * @param controllerName the controller that answers the check
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Spec(@Nullable String controllerName) {}

    /** The status, which says whether a controller answers the check. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(List<Condition> conditions) {

        /** The status of a check without any. */
        static final Status NONE = new Status(null);

        public Status(@Nullable List<Condition> conditions) {
            this.conditions = conditions == null ? List.of() : List.copyOf(conditions);
        }
    }
}
