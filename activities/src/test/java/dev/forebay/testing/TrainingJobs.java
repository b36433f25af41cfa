package dev.forebay.testing;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.ScalableResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Kubernetes Jobs of one pod each, in a cluster with simulated nodes. */
public final class TrainingJobs {

    private static final String NAMESPACE = "default";

    private final KubernetesClient client;

    public TrainingJobs(KubernetesClient client) {
        this.client = client;
    }

    /** Creates a Job whose pod waits for a node until one of both is ended. Returns its uid. */
    public String start(String name) {
        return create(name, Map.of("kubernetes.io/hostname", "none"), null);
    }

    /** Creates a Job that succeeds at once. Returns its uid. */
    public String finish(String name) {
        return create(name, Map.of(), null);
    }

    /** Creates a Job that succeeds at once and is then removed by Kubernetes. Returns its uid. */
    public String finishAndClear(String name) {
        return create(name, Map.of(), 0);
    }

    private String create(String name, Map<String, String> nodes, @Nullable Integer secondsToLive) {
        Job job =
                new JobBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .withNewSpec()
                        .withBackoffLimit(0)
                        .withTtlSecondsAfterFinished(secondsToLive)
                        .withNewTemplate()
                        .withNewSpec()
                        .withNodeSelector(nodes)
                        .withRestartPolicy("Never")
                        .withTerminationGracePeriodSeconds(0L)
                        .addNewContainer()
                        .withName("train")
                        .withImage("train")
                        .endContainer()
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build();
        return client.resource(job).create().getMetadata().getUid();
    }

    /** Fails the pod of a Job, as a kubelet would that could not run it. */
    public void fail(String name) {
        Await.until("a pod of " + name, () -> !podsOf(name).isEmpty());
        for (Pod pod : podsOf(name)) {
            // A merge has no version that the controller could have changed meanwhile.
            client.resource(pod)
                    .subresource("status")
                    .patch(
                            PatchContext.of(PatchType.JSON_MERGE),
                            "{\"status\":{\"phase\":\"Failed\"}}");
        }
    }

    private List<Pod> podsOf(String name) {
        return client.pods()
                .inNamespace(NAMESPACE)
                .withLabel("batch.kubernetes.io/job-name", name)
                .list()
                .getItems();
    }

    /** Deletes a Job and its pod. */
    public void delete(String name) {
        job(name).withPropagationPolicy(DeletionPropagation.BACKGROUND).delete();
    }

    /** Deletes all Jobs. */
    public void deleteAll() {
        client.batch()
                .v1()
                .jobs()
                .inNamespace(NAMESPACE)
                .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                .delete();
        Await.until(
                "no Job",
                () ->
                        client.batch()
                                .v1()
                                .jobs()
                                .inNamespace(NAMESPACE)
                                .list()
                                .getItems()
                                .isEmpty());
    }

    /** Returns whether the cluster has a Job of this name. */
    public boolean isThere(String name) {
        return job(name).get() != null;
    }

    private ScalableResource<Job> job(String name) {
        return client.batch().v1().jobs().inNamespace(NAMESPACE).withName(name);
    }
}
