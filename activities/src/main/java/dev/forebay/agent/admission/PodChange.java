package dev.forebay.agent.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.agent.jobs.Pods;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * Changes a pod that requests a version. The pod gets the tree of versions at the path that the SDK
 * reports, and a node that has the tree. It also gets a preference for nodes that hold the version,
 * and a gate to wait at. A pure function of the pod. It keeps what the pod has already, so a second
 * change does nothing.
 *
 * @param mountRoot where nodes and pods see the versions
 * @param sign a directory that exists on a node only while {@code mountRoot} is mounted; empty if
 *     there is none
 * @param nodes the labels of the nodes that see versions; all nodes if empty
 * @param preference the preference for nodes that hold the version; empty for none
 */
public record PodChange(
        String mountRoot,
        Optional<String> sign,
        Map<String, String> nodes,
        Optional<NodePreference> preference) {

    /** The name of the volume, unless the pod has its own volume for the tree. */
    static final String VOLUME = "forebay";

    /** A kubelet starts no container before the directory of each volume exists. */
    static final String SIGN_VOLUME = "forebay-mounted";

    /** Without it a container does not see versions that are mounted after its start. */
    private static final String PROPAGATION = "mountPropagation";

    /** The only paths that are ever changed, each as a whole. */
    private static final List<String> CHANGED =
            List.of(
                    "/metadata/labels",
                    "/spec/schedulingGates",
                    "/spec/nodeSelector",
                    "/spec/affinity",
                    "/spec/volumes",
                    "/spec/initContainers",
                    "/spec/containers");

    public PodChange {
        nodes = Map.copyOf(nodes);
    }

    /**
     * Returns the changes as a JSON Patch (RFC 6902).
     *
     * @param pod the pod to be created
     * @throws ForebayException {@code INVALID_ARGUMENT} if its annotations are invalid or
     *     contradict the rest of it
     */
    public ArrayNode patch(ObjectNode pod) {
        ArrayNode patch = JsonNodeFactory.instance.arrayNode();
        Optional<PodVersionRequest> versionRequest = PodVersionRequest.of(annotations(pod));
        if (versionRequest.isEmpty()) {
            return patch;
        }
        ObjectNode changed = pod.deepCopy();
        change(changed, versionRequest.get().version());
        for (String path : CHANGED) {
            JsonNode value = changed.at(path);
            if (!value.isMissingNode() && !value.equals(pod.at(path))) {
                // Works for existing values, too: "add" replaces a member of an object.
                patch.addObject().put("op", "add").put("path", path).set("value", value);
            }
        }
        return patch;
    }

    private void change(ObjectNode pod, DatasetVersion version) {
        object(object(pod, "metadata"), "labels").put(Pods.ADMITTED, "true");
        ObjectNode spec = object(pod, "spec");
        addGate(spec);
        choose(spec);
        preference.ifPresent(it -> it.addTo(spec, version));
        String volume = volume(spec, VOLUME, mountRoot);
        for (String containers : List.of("initContainers", "containers")) {
            for (JsonNode container : spec.path(containers)) {
                mount((ObjectNode) container, volume, mountRoot);
            }
        }
        // One container suffices to make the kubelet wait, and every pod has this one.
        sign.ifPresent(
                directory ->
                        mount(
                                (ObjectNode) spec.withArray("/containers").get(0),
                                volume(spec, SIGN_VOLUME, directory),
                                directory));
    }

    private static void addGate(ObjectNode spec) {
        if (spec.hasNonNull("nodeName")) {
            throw refusal(
                    "spec.nodeName",
                    spec.get("nodeName").asText(),
                    "the pod already has a " + "node, so no scheduler handles it: omit this field");
        }
        ArrayNode gates = array(spec, "schedulingGates");
        if (find(gates, "name", Pods.GATE).isEmpty()) {
            gates.addObject().put("name", Pods.GATE);
        }
    }

    private void choose(ObjectNode spec) {
        if (nodes.isEmpty()) {
            return;
        }
        ObjectNode selector = object(spec, "nodeSelector");
        nodes.forEach(
                (label, value) -> {
                    String wanted = selector.path(label).asText(value);
                    if (!wanted.equals(value)) {
                        throw refusal(
                                "spec.nodeSelector " + label,
                                wanted,
                                "nodes that mount datasets have '%s'".formatted(value));
                    }
                    selector.put(label, value);
                });
    }

    /**
     * Returns the name of the volume for a directory of the node, and adds the volume if there is
     * none.
     */
    private static String volume(ObjectNode spec, String name, String directory) {
        ArrayNode volumes = array(spec, "volumes");
        for (JsonNode volume : volumes) {
            if (volume.at("/hostPath/path").asText().equals(directory)) {
                return volume.path("name").asText();
            }
        }
        if (find(volumes, "name", name).isPresent()) {
            throw refusal(
                    "spec.volumes", name, "Forebay needs this name for a volume of " + directory);
        }
        ObjectNode volume = volumes.addObject().put("name", name);
        // The directory must exist before the pod starts: a node without it cannot run this pod.
        volume.putObject("hostPath").put("path", directory).put("type", "Directory");
        return name;
    }

    private static void mount(ObjectNode container, String volume, String directory) {
        ArrayNode mounts = array(container, "volumeMounts");
        Optional<JsonNode> there = find(mounts, "mountPath", directory);
        String other = there.map(each -> each.path("name").asText()).orElse(volume);
        if (!other.equals(volume)) {
            throw refusal(
                    "spec.containers.volumeMounts " + directory,
                    other,
                    "Forebay mounts the node's directory at this path");
        }
        if (there.isEmpty()) {
            mounts.addObject()
                    .put("name", volume)
                    .put("mountPath", directory)
                    .put("readOnly", true)
                    .put(PROPAGATION, "HostToContainer");
        } else if (there.get().path(PROPAGATION).asText("None").equals("None")) {
            ((ObjectNode) there.get()).put(PROPAGATION, "HostToContainer");
        }
    }

    private static Map<String, String> annotations(ObjectNode pod) {
        Map<String, String> annotations = new HashMap<>();
        pod.at("/metadata/annotations")
                .properties()
                .forEach(each -> annotations.put(each.getKey(), each.getValue().asText()));
        return annotations;
    }

    private static Optional<JsonNode> find(ArrayNode array, String field, String value) {
        return StreamSupport.stream(array.spliterator(), false)
                .filter(each -> each.path(field).asText().equals(value))
                .findFirst();
    }

    static ObjectNode object(ObjectNode parent, String field) {
        return parent.get(field) instanceof ObjectNode there ? there : parent.putObject(field);
    }

    static ArrayNode array(ObjectNode parent, String field) {
        return parent.get(field) instanceof ArrayNode there ? there : parent.putArray(field);
    }

    private static ForebayException refusal(String field, String value, String rule) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT,
                "%s '%s' conflicts with annotation %s: %s"
                        .formatted(field, value, PodVersionRequest.DATASET, rule));
    }
}
