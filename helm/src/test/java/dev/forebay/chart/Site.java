package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** A namespace that a user has prepared for a release, with his Secrets, and disks on nodes. */
final class Site {

    private static final String POD_SECURITY = "pod-security.kubernetes.io/enforce";
    private static final String AUTHORITY = "kube-root-ca.crt";
    private static final int SECONDS = 60;

    private final KubernetesClient client;
    private final String namespace;

    private Site(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** Creates a namespace that enforces a Pod Security Standard. */
    static Site prepare(KubernetesClient client, String namespace, String podSecurity) {
        client.resource(
                        new NamespaceBuilder()
                                .withNewMetadata()
                                .withName(namespace)
                                .addToLabels(POD_SECURITY, podSecurity)
                                .endMetadata()
                                .build())
                .create();
        // Waits for the objects that Kubernetes itself adds to each namespace.
        client.serviceAccounts()
                .inNamespace(namespace)
                .withName("default")
                .waitUntilCondition(Objects::nonNull, SECONDS, TimeUnit.SECONDS);
        client.configMaps()
                .inNamespace(namespace)
                .withName(AUTHORITY)
                .waitUntilCondition(Objects::nonNull, SECONDS, TimeUnit.SECONDS);
        for (String secret : List.of("forebay-token", "lake-key", "forebay-database")) {
            client.resource(
                            new SecretBuilder()
                                    .withNewMetadata()
                                    .withName(secret)
                                    .withNamespace(namespace)
                                    .endMetadata()
                                    .withStringData(Map.of("key", "of the user"))
                                    .build())
                    .create();
        }
        return new Site(client, namespace);
    }

    /** Gives each node a disk for a worker and one for a member of etcd. */
    Site withDisks(List<String> nodes) {
        for (Map.Entry<String, String> disk : Map.of("nvme", "1Ti", "ssd", "8Gi").entrySet()) {
            String storageClass = storageClass(disk.getKey());
            client.resource(
                            """
                            apiVersion: storage.k8s.io/v1
                            kind: StorageClass
                            metadata: {name: %s}
                            provisioner: kubernetes.io/no-provisioner
                            volumeBindingMode: WaitForFirstConsumer
                            """
                                    .formatted(storageClass))
                    .create();
            for (String node : nodes) {
                client.resource(volume(storageClass, node, disk.getValue())).create();
            }
        }
        return this;
    }

    private static String volume(String storageClass, String node, String size) {
        return """
               apiVersion: v1
               kind: PersistentVolume
               metadata: {name: %1$s-%2$s}
               spec:
                 capacity: {storage: %3$s}
                 accessModes: [ReadWriteOnce]
                 persistentVolumeReclaimPolicy: Retain
                 storageClassName: %1$s
                 local: {path: /disks/%1$s}
                 nodeAffinity:
                   required:
                     nodeSelectorTerms:
                       - matchExpressions:
                           - {key: kubernetes.io/hostname, operator: In, values: [%2$s]}
               """
                .formatted(storageClass, node, size);
    }

    private String storageClass(String disk) {
        return namespace + "-" + disk;
    }

    /** Returns the values that select these disks. */
    String values() {
        return """
               region:
                 workers: {storage: {storageClass: %s}}
                 etcd: {storage: {storageClass: %s}}
               """
                .formatted(storageClass("nvme"), storageClass("ssd"));
    }

    /** Returns the pods of a component by uid, without those that are being deleted. */
    NavigableMap<String, Pod> pods(String component) {
        NavigableMap<String, Pod> pods = new TreeMap<>();
        client
                .pods()
                .inNamespace(namespace)
                .withLabel("app.kubernetes.io/component", component)
                .list()
                .getItems()
                .stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .forEach(pod -> pods.put(pod.getMetadata().getUid(), pod));
        return pods;
    }

    /** Waits until a component has so many pods and all are ready. */
    void awaitReady(String component, int count) {
        Await.untilAsserted(
                () ->
                        assertThat(pods(component).values())
                                .as(component)
                                .hasSize(count)
                                .allMatch(Readiness::isPodReady));
    }

    /** Returns the volume of each claim. */
    Map<String, String> claims() {
        Map<String, String> claims = new TreeMap<>();
        client.persistentVolumeClaims()
                .inNamespace(namespace)
                .list()
                .getItems()
                .forEach(
                        claim ->
                                claims.put(
                                        claim.getMetadata().getName(),
                                        Objects.requireNonNullElse(
                                                claim.getSpec().getVolumeName(), "none yet")));
        return claims;
    }

    /** Declares a dataset as a custom resource, which stays until its finalizers are removed. */
    void declareDataset(String name, String... finalizers) {
        client.resource(
                        """
                        apiVersion: forebay.dev/v1alpha1
                        kind: Dataset
                        metadata: {namespace: %s, name: %s, finalizers: [%s]}
                        spec:
                          source: {uri: "s3://lake/%2$s/"}
                        """
                                .formatted(namespace, name, String.join(", ", finalizers)))
                .create();
    }

    /** Returns a declared dataset. */
    Resource<GenericKubernetesResource> dataset(String name) {
        return client.genericKubernetesResources("forebay.dev/v1alpha1", "Dataset")
                .inNamespace(namespace)
                .withName(name);
    }

    /** Returns the CRD of datasets. */
    Resource<CustomResourceDefinition> definition() {
        return client.apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName("datasets.forebay.dev");
    }

    /** Removes the objects that an uninstalled release was told to keep. */
    void removeWhatWasKept() {
        client.persistentVolumeClaims().inNamespace(namespace).delete();
        definition().delete();
    }

    /** Returns the Secret in which the agent keeps the key of its webhook. */
    Resource<Secret> webhookSecret() {
        return client.secrets()
                .inNamespace(namespace)
                .withName("%s-forebay-agent-webhook".formatted(Chart.RELEASE));
    }

    /** Returns the API server's configuration of the agent's webhook. */
    Resource<MutatingWebhookConfiguration> webhooks() {
        return client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("%s-%s-forebay-agent".formatted(namespace, Chart.RELEASE));
    }

    /** Returns the cluster's certificate authority, as PEM. */
    String clusterAuthority() {
        return client.configMaps()
                .inNamespace(namespace)
                .withName(AUTHORITY)
                .require()
                .getData()
                .getOrDefault("ca.crt", "");
    }

    /** Returns the settings file of a component. */
    String settings(String component) {
        return client.configMaps()
                .inNamespace(namespace)
                .withName("%s-forebay-%s".formatted(Chart.RELEASE, component))
                .require()
                .getData()
                .getOrDefault("application.properties", "");
    }

    /** Returns whether a component may do this in all namespaces. */
    boolean may(String component, String verb, String group, String resource) {
        return client.authorization()
                .v1()
                .subjectAccessReview()
                .create(
                        new SubjectAccessReviewBuilder()
                                .withNewSpec()
                                .withUser(
                                        "system:serviceaccount:%s:%s-forebay-%s"
                                                .formatted(namespace, Chart.RELEASE, component))
                                .withNewResourceAttributes()
                                .withVerb(verb)
                                .withGroup(group)
                                .withResource(resource)
                                .endResourceAttributes()
                                .endSpec()
                                .build())
                .getStatus()
                .getAllowed();
    }

    /** Returns the events of an object. */
    List<String> events(String object) {
        return client.v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(object))
                .map(event -> event.getReason() + ": " + event.getMessage())
                .toList();
    }
}
