package dev.forebay.operator;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Removes the finalizers of all Datasets of a cluster, for the time when no control plane is left
 * to do so. Needs the verbs {@code get}, {@code list} and {@code patch} on Datasets, and {@code
 * get} on their definition.
 */
public final class DatasetFinalizers {

    /** The annotations in which Helm records the release of an object. */
    private static final String OWNER_NAMESPACE = "meta.helm.sh/release-namespace";

    private static final String OWNER_NAME = "meta.helm.sh/release-name";

    private final KubernetesClient client;
    private final String release;

    /**
     * @param client is not closed with this
     * @param release {@code namespace/name} of the Helm release that is being removed
     */
    public DatasetFinalizers(KubernetesClient client, String release) {
        this.client = client;
        this.release = release;
    }

    /**
     * Removes the finalizers. Does nothing if there is no definition of Datasets, or if it belongs
     * to another release, whose control plane needs the finalizers.
     *
     * @return what was done, for people
     * @throws ForebayException {@code UNAVAILABLE} if a finalizer may remain
     */
    public String removeAll() {
        try {
            Optional<String> owner = owner();
            if (owner.isPresent() && !owner.get().equals(release)) {
                return "left the finalizers of Datasets to release %s, which now owns their definition"
                        .formatted(owner.get());
            }
            return "removed the finalizer %s from %d Datasets"
                    .formatted(DatasetClient.FINALIZER, owner.isPresent() ? takeOffAll() : 0);
        } catch (KubernetesClientException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "cannot remove the finalizers of Datasets: " + e.getMessage(),
                    e);
        }
    }

    /**
     * Returns the release that owns the definition, or this one if Helm has recorded none. Empty if
     * there is no definition.
     */
    private Optional<String> owner() {
        CustomResourceDefinition definition =
                client.apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .withName(DatasetClient.DEFINITION)
                        .get();
        if (definition == null) {
            return Optional.empty();
        }
        Map<String, String> annotations =
                Objects.requireNonNullElse(definition.getMetadata().getAnnotations(), Map.of());
        String namespace = annotations.get(OWNER_NAMESPACE);
        String name = annotations.get(OWNER_NAME);
        return Optional.of(namespace == null || name == null ? release : namespace + "/" + name);
    }

    /**
     * Removes the finalizers of all Datasets. A Dataset that cannot be changed does not prevent the
     * others.
     */
    private int takeOffAll() {
        int changed = 0;
        Optional<KubernetesClientException> failure = Optional.empty();
        ListOptions options = new ListOptionsBuilder().withLimit(DatasetClient.PAGE).build();
        do {
            KubernetesResourceList<DatasetResource> page =
                    client.resources(DatasetResource.class).inAnyNamespace().list(options);
            for (DatasetResource resource : page.getItems()) {
                try {
                    if (resource.hasFinalizer(DatasetClient.FINALIZER)) {
                        remove(resource);
                        changed++;
                    }
                } catch (KubernetesClientException e) {
                    // The Dataset may also be gone or changed meanwhile, which the next attempt
                    // finds out.
                    failure = Optional.of(e);
                }
            }
            options.setContinue(page.getMetadata().getContinue());
        } while (options.getContinue() != null && !options.getContinue().isEmpty());
        if (failure.isPresent()) {
            throw failure.get();
        }
        return changed;
    }

    /** Patches the state that was read, so that fields of a later definition stay. */
    private void remove(DatasetResource resource) {
        List<String> others = new ArrayList<>(resource.getFinalizers());
        others.remove(DatasetClient.FINALIZER);
        Map<String, Object> metadata =
                Map.of(
                        "resourceVersion",
                        resource.getMetadata().getResourceVersion(),
                        "finalizers",
                        others);
        client.resource(resource)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        client.getKubernetesSerialization().asJson(Map.of("metadata", metadata)));
    }
}
