package dev.forebay.agent.jobs;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.Optional;

/**
 * The controller of an object, in the same namespace.
 *
 * @param apiVersion such as {@code batch/v1}
 */
public record ControllerReference(String apiVersion, String kind, String name, String uid) {

    static Optional<ControllerReference> of(ObjectMeta object) {
        return object.getOwnerReferences().stream()
                .filter(reference -> Boolean.TRUE.equals(reference.getController()))
                .findFirst()
                .map(ControllerReference::of);
    }

    private static ControllerReference of(OwnerReference reference) {
        return new ControllerReference(
                reference.getApiVersion(),
                reference.getKind(),
                reference.getName(),
                reference.getUid());
    }

    String group() {
        int slash = apiVersion.indexOf('/');
        return slash < 0 ? "" : apiVersion.substring(0, slash);
    }

    String version() {
        return apiVersion.substring(apiVersion.indexOf('/') + 1);
    }
}
