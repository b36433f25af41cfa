package dev.forebay.chart;

import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The names of all objects of a cluster, of every kind and in all namespaces. A comparison with a
 * later inventory shows leftovers.
 */
final class Inventory {

    /** Kinds that record events or leases, which come and go by themselves. */
    private static final Set<String> OF_THE_MOMENT = Set.of("events", "leases");

    private final KubernetesClient client;
    private final NavigableSet<String> names = new TreeSet<>();

    private Inventory(KubernetesClient client) {
        this.client = client;
    }

    static NavigableSet<String> of(KubernetesClient client) {
        Inventory inventory = new Inventory(client);
        inventory.list("", "v1");
        for (APIGroup group : client.getApiGroups().getGroups()) {
            inventory.list(group.getName(), group.getPreferredVersion().getVersion());
        }
        return inventory.names;
    }

    private void list(String group, String version) {
        String groupVersion = group.isEmpty() ? version : group + "/" + version;
        APIResourceList resources = client.getApiResources(groupVersion);
        if (resources == null) {
            return; // the last kind of the group has just been removed
        }
        for (APIResource resource : resources.getResources()) {
            boolean kept =
                    resource.getVerbs().contains("list") && resource.getVerbs().contains("delete");
            if (kept && !OF_THE_MOMENT.contains(resource.getName())) {
                list(
                        new ResourceDefinitionContext.Builder()
                                .withGroup(group)
                                .withVersion(version)
                                .withKind(resource.getKind())
                                .withPlural(resource.getName())
                                .withNamespaced(resource.getNamespaced())
                                .build());
            }
        }
    }

    private void list(ResourceDefinitionContext kind) {
        client.genericKubernetesResources(kind).inAnyNamespace().list().getItems().stream()
                .map(HasMetadata::getMetadata)
                .map(
                        it ->
                                it.getNamespace() == null
                                        ? it.getName()
                                        : it.getNamespace() + "/" + it.getName())
                .forEach(name -> names.add(kind.getPlural() + " " + name));
    }
}
