package dev.forebay.agent.jobs;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Optional;

/** Finds whose life a pod's pin has. Needs the verb {@code get} on what owns pods. */
final class Owners {

    /** A RayJob's pod has the most: RayCluster, RayJob, and whatever made that. */
    private static final int MOST = 5;

    private final KubernetesClient client;

    Owners(KubernetesClient client) {
        this.client = client;
    }

    /** Goes up as far as owners are of a known kind, and are there. */
    Holder holder(GatedPod pod) {
        Holder holder = new Holder("Pod", pod.namespace(), pod.name(), pod.uid());
        Optional<Owner> next = pod.owner();
        for (int i = 0; i < MOST && next.isPresent(); i++) {
            Owner owner = next.get();
            Optional<Kind> kind = Kind.of(owner);
            if (kind.isEmpty()) {
                return holder;
            }
            holder = new Holder(owner.kind(), pod.namespace(), owner.name(), owner.uid());
            next =
                    find(kind.get(), owner, pod.namespace())
                            .flatMap(it -> Owner.of(it.getMetadata()));
        }
        return holder;
    }

    private Optional<GenericKubernetesResource> find(Kind kind, Owner owner, String namespace) {
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
