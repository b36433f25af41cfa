package dev.forebay.testing;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** JobSets without a controller: objects that own Jobs, and end when a test ends them. */
public final class Gangs {

    private static final String VERSION = "jobset.x-k8s.io/v1alpha2";

    private final KubernetesClient client;
    private final String namespace;

    private Gangs(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** Defines JobSets in a cluster, unless they are defined already. */
    public static Gangs in(KubernetesClient client, String namespace) {
        client.resource(
                        """
                        apiVersion: apiextensions.k8s.io/v1
                        kind: CustomResourceDefinition
                        metadata: {name: jobsets.jobset.x-k8s.io}
                        spec:
                          group: jobset.x-k8s.io
                          scope: Namespaced
                          names: {kind: JobSet, plural: jobsets, singular: jobset}
                          versions:
                            - name: v1alpha2
                              served: true
                              storage: true
                              schema:
                                openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
                        """)
                .serverSideApply();
        Await.until("JobSets", () -> client.getApiResources(VERSION) != null);
        return new Gangs(client, namespace);
    }

    private MixedOperation<
                    GenericKubernetesResource,
                    GenericKubernetesResourceList,
                    Resource<GenericKubernetesResource>>
            all() {
        return client.genericKubernetesResources(VERSION, "JobSet");
    }

    public GenericKubernetesResource start(String name) {
        String text =
                """
                apiVersion: %s
                kind: JobSet
                metadata: {name: %s}
                """
                        .formatted(VERSION, name);
        return all().inNamespace(namespace)
                .load(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
                .create();
    }

    public void complete(String name) {
        var _ =
                all().inNamespace(namespace)
                        .withName(name)
                        .edit(
                                it -> {
                                    it.setAdditionalProperty(
                                            "status",
                                            Map.of(
                                                    "conditions",
                                                    List.of(
                                                            Map.of(
                                                                    "type", "Completed",
                                                                    "status", "True"))));
                                    return it;
                                });
    }

    public void delete(String name) {
        var _ = all().inNamespace(namespace).withName(name).delete();
    }
}
