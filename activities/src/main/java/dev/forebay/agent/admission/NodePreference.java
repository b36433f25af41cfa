package dev.forebay.agent.admission;

import static dev.forebay.agent.admission.PodChange.array;
import static dev.forebay.agent.admission.PodChange.object;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.agent.jobs.WarmLabels;
import dev.forebay.model.DatasetVersion;
import java.util.stream.StreamSupport;

/**
 * Makes a pod prefer nodes that hold its version. The pod may still run on any node, and its other
 * rules for nodes stay.
 *
 * @param labels the labels of the nodes of this region
 * @param weight the weight among the pod's preferences, 1 to 100
 */
public record NodePreference(WarmLabels labels, int weight) {

    /** Adds the preference to a pod, unless the pod has it already with any weight. */
    void addTo(ObjectNode spec, DatasetVersion version) {
        ObjectNode affinity = object(object(spec, "affinity"), "nodeAffinity");
        ArrayNode preferences = array(affinity, "preferredDuringSchedulingIgnoredDuringExecution");
        ObjectNode held = spec.objectNode();
        held.putArray("matchExpressions")
                .addObject()
                .put("key", labels.key(version))
                .put("operator", "Exists");
        if (StreamSupport.stream(preferences.spliterator(), false)
                .noneMatch(each -> each.path("preference").equals(held))) {
            preferences.addObject().put("weight", weight).set("preference", held);
        }
    }
}
