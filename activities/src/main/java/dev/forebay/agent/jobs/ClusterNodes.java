package dev.forebay.agent.jobs;

import static java.util.stream.Collectors.toUnmodifiableMap;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Reads and labels nodes through the API server. Needs the verbs {@code list} and {@code patch} on
 * them, and {@code get}, because the client reads the node before a patch.
 */
final class ClusterNodes implements Nodes {

    /** Bounds the heap for one answer: a node has about 15 KB. */
    private static final long PAGE = 500;

    private static final Set<Integer> GONE = Set.of(404);

    private static final PatchContext MERGED = PatchContext.of(PatchType.JSON_MERGE);

    private final KubernetesClient client;

    /**
     * @param client is not closed with this
     */
    ClusterNodes(KubernetesClient client) {
        this.client = client;
    }

    @Override
    public Map<String, Map<String, String>> labels(String prefix) {
        Map<String, Map<String, String>> found = new HashMap<>();
        ListOptions options = new ListOptionsBuilder().withLimit(PAGE).build();
        do {
            NodeList page = ApiServer.ask("list nodes", () -> client.nodes().list(options));
            page.getItems()
                    .forEach(node -> found.put(node.getMetadata().getName(), labels(node, prefix)));
            options.setContinue(page.getMetadata().getContinue());
        } while (options.getContinue() != null && !options.getContinue().isEmpty());
        return found;
    }

    private static Map<String, String> labels(Node node, String prefix) {
        Map<String, String> labels =
                Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
        return labels.entrySet().stream()
                .filter(label -> label.getKey().startsWith(prefix))
                .collect(toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    @Override
    public void change(String node, Map<String, Optional<String>> labels) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode changed = patch.putObject("metadata").putObject("labels");
        // Null removes a label.
        labels.forEach((key, value) -> changed.put(key, value.orElse(null)));
        var _ =
                ApiServer.tell(
                        "label node " + node,
                        GONE,
                        () -> client.nodes().withName(node).patch(MERGED, patch.toString()));
    }
}
