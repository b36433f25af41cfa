package dev.forebay.agent.jobs;

import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;
import java.util.Optional;

/**
 * A kind of objects that run training pods, or run what does.
 *
 * @param group of the API; its versions are asked for, they come and go
 */
record Kind(String group, String name, String plural) {

    static final Kind JOB = new Kind("batch", "Job", "jobs");

    /** Kueue's: what waits for quota on behalf of something else. */
    static final Kind WORKLOAD = new Kind("kueue.x-k8s.io", "Workload", "workloads");

    /** In the order in which they are asked for. */
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

    /** The kind that a reference means, if it is one of these. */
    static Optional<Kind> of(Owner owner) {
        return ALL.stream()
                .filter(kind -> kind.group.equals(owner.group()) && kind.name.equals(owner.kind()))
                .findFirst();
    }

    /** How to ask for it. */
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
