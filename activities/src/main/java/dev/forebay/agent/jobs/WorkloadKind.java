package dev.forebay.agent.jobs;

import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;
import java.util.Optional;

/**
 * A kind of objects that run training pods, directly or through other objects.
 *
 * @param group the API group; its versions are discovered, because they change
 */
public record WorkloadKind(String group, String name, String plural) {

    static final WorkloadKind JOB = new WorkloadKind("batch", "Job", "jobs");

    /** Kueue's Workload, which waits for quota on behalf of another object. */
    static final WorkloadKind WORKLOAD =
            new WorkloadKind("kueue.x-k8s.io", "Workload", "workloads");

    /** In the order of listing. */
    static final List<WorkloadKind> ALL =
            List.of(
                    JOB,
                    new WorkloadKind("jobset.x-k8s.io", "JobSet", "jobsets"),
                    new WorkloadKind("kubeflow.org", "PyTorchJob", "pytorchjobs"),
                    new WorkloadKind("kubeflow.org", "TFJob", "tfjobs"),
                    new WorkloadKind("kubeflow.org", "MPIJob", "mpijobs"),
                    new WorkloadKind("kubeflow.org", "JAXJob", "jaxjobs"),
                    new WorkloadKind("trainer.kubeflow.org", "TrainJob", "trainjobs"),
                    new WorkloadKind("ray.io", "RayJob", "rayjobs"),
                    new WorkloadKind("ray.io", "RayCluster", "rayclusters"),
                    new WorkloadKind("batch.volcano.sh", "Job", "jobs"));

    /** Returns the kind that a reference means, if it is one of these. */
    static Optional<WorkloadKind> of(ControllerReference owner) {
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
