package dev.forebay.agent.jobs;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Optional;

/**
 * Finds the object that owns the pin of a pod or a Workload. Needs the verb {@code get} on the
 * owners of these.
 */
final class PinOwnerLookup {

    /** The longest usual chain is that of a RayJob's pod: RayCluster, RayJob, and its owner. */
    private static final int MOST = 5;

    private final KubernetesClient client;

    PinOwnerLookup(KubernetesClient client) {
        this.client = client;
    }

    /**
     * Follows the owners upwards while they are of a known kind and exist.
     *
     * @param self holds its own pin if none of its owners does
     * @param first its controller, if it has one
     */
    PinOwner holder(PinOwner self, Optional<ControllerReference> first) {
        PinOwner holder = self;
        Optional<ControllerReference> next = first;
        for (int i = 0; i < MOST && next.isPresent(); i++) {
            ControllerReference owner = next.get();
            Optional<WorkloadKind> kind = WorkloadKind.of(owner);
            if (kind.isEmpty()) {
                return holder;
            }
            holder = new PinOwner(owner.kind(), self.namespace(), owner.name(), owner.uid());
            next =
                    find(kind.get(), owner, self.namespace())
                            .flatMap(it -> ControllerReference.of(it.getMetadata()));
        }
        return holder;
    }

    private Optional<GenericKubernetesResource> find(
            WorkloadKind kind, ControllerReference owner, String namespace) {
        return ApiServer.ask(
                        "show %s %s/%s".formatted(owner.kind(), namespace, owner.name()),
                        () ->
                                Optional.ofNullable(
                                        client.genericKubernetesResources(kind.in(owner.version()))
                                                .inNamespace(namespace)
                                                .withName(owner.name())
                                                .get()))
                .filter(found -> found.getMetadata().getUid().equals(owner.uid()));
    }
}
