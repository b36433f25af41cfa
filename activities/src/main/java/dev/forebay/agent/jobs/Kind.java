package dev.forebay.agent.jobs;

import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;
import java.util.Optional;

/**
 * A kind of objects that run training pods, directly or through other objects.
 *
 * @param group of the API; its versions are discovered, because they change
 */
public record Kind(String group, String name, String plural) {

    static final Kind JOB = new Kind("batch", "Job", "jobs");

    /** Kueue's Workload, which waits for quota on behalf of another object. */
    static final Kind WORKLOAD = new Kind("kueue.x-k8s.io", "Workload", "workloads");

    /** In the order of listing. */
    static final List<Kind> ALL =
            List.of(
                    JOB,
                    new Kind("jobset.x-k8s.io", "JobSet", "jobsets"),
                    new Kind("kubeflow.org", "PyTorchJob", "pytorchjobs"),
                    new Kind("kubeflow.org", "TFJob", "tfjobs"),
                    new Kind("kubeflow.org", "MPIJob", "mpijobs"),
                    new Kind("kubeflow.org", "JAXJob", "jaxjobs"),
                    new Kind("trainer.kubeflow.org", "TrainJob", "trainjobs"),
                    new Kind("ray.io", "RayJob", "rayjobs"),
                    new Kind("ray.io", "RayCluster", "rayclusters"),
                    new Kind("batch.volcano.sh", "Job", "jobs"));

    /** Returns the kind that a reference means, if it is one of these. */
    static Optional<Kind> of(Owner owner) {
        return ALL.stream()
                .filter(kind -> kind.group.equals(owner.group()) && kind.name.equals(owner.kind()))
                .findFirst();
    }

    /** Returns how to list it. */
    ResourceDefinitionContext in(String version) {
        return new ResourceDefinitionContext.Builder()
                .withGroup(group)
                .withVersion(version)
                .withKind(name)
                .withPlural(plural)
                .withNamespaced(true)
                .build();
    }
}
