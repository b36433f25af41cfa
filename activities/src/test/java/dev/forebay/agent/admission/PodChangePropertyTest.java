package dev.forebay.agent.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.agent.jobs.WarmLabels;
import dev.forebay.model.RegionName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Invariants for every pod that requests a version. */
class PodChangePropertyTest {

    private static final PodChange CHANGE =
            new PodChange(
                    TrainingPod.ROOT,
                    Optional.of("/run/forebay/mounted"),
                    Map.of("gpu", "yes", "disk", "nvme"),
                    Optional.of(
                            new NodePreference(new WarmLabels(new RegionName("us-east-1")), 100)));

    private static final String PREFERENCES =
            "/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";

    @Property
    void aSecondChangeHasNoEffect(@ForAll("pods") ObjectNode pod) {
        ObjectNode once = TrainingPod.changed(CHANGE, pod);

        assertThat(CHANGE.patch(once)).isEmpty();
    }

    @Property
    void everyContainerMountsTheTreeOnceAndThePodIsGated(@ForAll("pods") ObjectNode pod) {
        ObjectNode changed = TrainingPod.changed(CHANGE, pod);

        for (String kind : List.of("containers", "initContainers")) {
            for (JsonNode container : changed.at("/spec/" + kind)) {
                assertThat(names(container.at("/volumeMounts"), "mountPath"))
                        .containsOnlyOnce(TrainingPod.ROOT);
            }
        }
        assertThat(names(changed.at("/spec/containers/0/volumeMounts"), "mountPath"))
                .containsOnlyOnce("/run/forebay/mounted");
        assertThat(names(changed.at("/spec/schedulingGates"), "name"))
                .containsOnlyOnce("forebay.dev/warm");
        assertThat(names(changed.at("/spec/volumes"), "name")).doesNotHaveDuplicates();
        assertThat(changed.at("/spec" + PREFERENCES))
                .hasSize(pod.at("/spec" + PREFERENCES).size() + 1);
    }

    /** The changed pod contains every field of the original, unchanged and in order. */
    @Property
    void theChangeKeepsEveryFieldOfThePod(@ForAll("pods") ObjectNode pod) {
        assertContains(TrainingPod.changed(CHANGE, pod), pod);
    }

    @Property
    void theChangeDoesNotModifyItsInput(@ForAll("pods") ObjectNode pod) {
        ObjectNode before = pod.deepCopy();

        var _ = CHANGE.patch(pod);

        assertThat(pod).isEqualTo(before);
    }

    private static void assertContains(JsonNode all, JsonNode some) {
        switch (some) {
            case ObjectNode object ->
                    object.properties()
                            .forEach(
                                    each ->
                                            assertContains(
                                                    all.path(each.getKey()), each.getValue()));
            case ArrayNode array -> {
                for (int i = 0; i < array.size(); i++) {
                    assertContains(all.path(i), array.get(i));
                }
            }
            default -> assertThat(all).isEqualTo(some);
        }
    }

    private static List<String> names(JsonNode array, String field) {
        return array.findValuesAsText(field);
    }

    @Provide
    Arbitrary<ObjectNode> pods() {
        return Combinators.combine(
                        containers().list().ofMinSize(1).ofMaxSize(3),
                        containers().list().ofMaxSize(2),
                        some("volumes", "own", "scratch", "tree"),
                        some("schedulingGates", "other", "forebay.dev/warm"),
                        Arbitraries.maps(Arbitraries.of("zone", "gpu"), Arbitraries.just("yes"))
                                .ofMaxSize(2),
                        some("preference", "a", "b"),
                        Arbitraries.of(true, false))
                .as(
                        (containers, first, volumes, gates, selector, preferences, labelled) -> {
                            ObjectNode pod = TrainingPod.plain();
                            ObjectNode spec = (ObjectNode) pod.get("spec");
                            spec.putArray("containers").addAll(containers);
                            if (!first.isEmpty()) {
                                spec.putArray("initContainers").addAll(first);
                            }
                            putUnlessEmpty(spec, "volumes", volumes);
                            addTreeIfMounted(spec);
                            putUnlessEmpty(spec, "schedulingGates", gates);
                            if (!selector.isEmpty()) {
                                ObjectNode labels = spec.putObject("nodeSelector");
                                selector.forEach(labels::put);
                            }
                            if (!preferences.isEmpty()) {
                                spec.withArray(PREFERENCES).addAll(preferences);
                            }
                            if (labelled) {
                                ((ObjectNode) pod.get("metadata"))
                                        .putObject("labels")
                                        .put("a", "b");
                            }
                            return pod;
                        });
    }

    /** Adds the volume of a mount, because the API server refuses a mount without its volume. */
    private static void addTreeIfMounted(ObjectNode spec) {
        boolean mounted =
                spec.findValues("volumeMounts").stream()
                        .anyMatch(mounts -> mounts.toString().contains("\"tree\""));
        if (mounted && !spec.path("volumes").toString().contains("\"tree\"")) {
            spec.withArray("/volumes").add(thing("volumes", "tree"));
        }
    }

    private static void putUnlessEmpty(ObjectNode spec, String field, List<ObjectNode> values) {
        if (!values.isEmpty()) {
            spec.putArray(field).addAll(values);
        }
    }

    private static Arbitrary<ObjectNode> containers() {
        return Combinators.combine(
                        Arbitraries.of("train", "log", "prepare"),
                        some("volumeMounts", "own", "scratch", "tree"))
                .as(
                        (name, mounts) -> {
                            ObjectNode container = JsonNodeFactory.instance.objectNode();
                            container.put("name", name).put("image", "i");
                            putUnlessEmpty(container, "volumeMounts", mounts);
                            return container;
                        });
    }

    /** Some of these elements, each at most once. */
    private static Arbitrary<List<ObjectNode>> some(String field, String... names) {
        return Arbitraries.of(names)
                .list()
                .uniqueElements()
                .ofMaxSize(names.length)
                .map(chosen -> chosen.stream().map(name -> thing(field, name)).toList());
    }

    private static ObjectNode thing(String field, String name) {
        ObjectNode thing = JsonNodeFactory.instance.objectNode().put("name", name);
        boolean isTree = name.equals("tree");
        switch (field) {
            case "volumes" ->
                    thing.putObject("hostPath").put("path", isTree ? TrainingPod.ROOT : "/" + name);
            case "volumeMounts" -> thing.put("mountPath", isTree ? TrainingPod.ROOT : "/" + name);
            default -> {}
        }
        return thing;
    }
}
