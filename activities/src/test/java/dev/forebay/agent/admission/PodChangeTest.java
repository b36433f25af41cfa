package dev.forebay.agent.admission;

import static dev.forebay.agent.admission.TrainingPod.changed;
import static dev.forebay.agent.admission.TrainingPod.json;
import static dev.forebay.agent.admission.TrainingPod.parse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.agent.jobs.WarmLabels;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodChangeTest {

    private static final PodChange CHANGE =
            new PodChange(TrainingPod.ROOT, Optional.empty(), Map.of(), Optional.empty());
    private static final PodChange ON_GPUS =
            new PodChange(
                    TrainingPod.ROOT,
                    Optional.empty(),
                    Map.of("nvidia.com/gpu.present", "true"),
                    Optional.empty());

    private static final WarmLabels LABELS = new WarmLabels(new RegionName("us-east-1"));
    private static final PodChange BY_LABEL =
            new PodChange(
                    TrainingPod.ROOT,
                    Optional.empty(),
                    Map.of(),
                    Optional.of(new NodePreference(LABELS, 70)));

    /** The preference for nodes that hold the version of {@link TrainingPod#plain}. */
    private static final String PREFERENCE =
            """
            {"weight": %d, "preference": {"matchExpressions": [{"key": "%s", "operator": "Exists"}]}}
            """;

    private static final String KEY = LABELS.key(DatasetVersion.parse("search/ko-bert@v1"));

    @Test
    void aPodThatRequestsAVersionGetsTheTreeAndAGate() {
        assertThat(changed(ON_GPUS, TrainingPod.plain()))
                .isEqualTo(
                        json(
                                """
                                {"metadata": {"name": "train-0",
                                              "annotations": {"forebay.dev/dataset": "search/ko-bert@v1"},
                                              "labels": {"forebay.dev/admitted": "true"}},
                                 "spec": {"containers": [{"name": "train", "image": "train:1",
                                              "volumeMounts": [{"name": "forebay", "mountPath": "/mnt/forebay",
                                                  "readOnly": true, "mountPropagation": "HostToContainer"}]}],
                                          "schedulingGates": [{"name": "forebay.dev/warm"}],
                                          "nodeSelector": {"nvidia.com/gpu.present": "true"},
                                          "volumes": [{"name": "forebay",
                                              "hostPath": {"path": "/mnt/forebay", "type": "Directory"}}]}}
                                """));
    }

    /** After a reboot the directory exists before the tree is mounted on it. */
    @Test
    void aPodWaitsUntilItsNodeHasMountedTheTree() {
        PodChange waiting =
                new PodChange(
                        TrainingPod.ROOT,
                        Optional.of("/run/forebay/a/mounted"),
                        Map.of(),
                        Optional.empty());

        ObjectNode changed = changed(waiting, TrainingPod.plain());

        assertThat(changed.at("/spec/volumes/1"))
                .isEqualTo(
                        json(
                                """
                                {"name": "forebay-mounted",
                                 "hostPath": {"path": "/run/forebay/a/mounted", "type": "Directory"}}
                                """));
        assertThat(changed.at("/spec/containers/0/volumeMounts/1"))
                .isEqualTo(
                        json(
                                """
                                {"name": "forebay-mounted", "mountPath": "/run/forebay/a/mounted",
                                 "readOnly": true, "mountPropagation": "HostToContainer"}
                                """));
    }

    @Test
    void aPodKeepsItsFields() {
        ObjectNode pod = TrainingPod.plain();
        ((ObjectNode) pod.get("metadata")).set("labels", json("{\"app\": \"train\"}"));
        ObjectNode spec = (ObjectNode) pod.get("spec");
        spec.set("schedulingGates", json("[{\"name\": \"kueue.x-k8s.io/admission\"}]"));
        spec.set("nodeSelector", json("{\"zone\": \"a\"}"));
        spec.set("volumes", json("[{\"name\": \"scratch\", \"emptyDir\": {}}]"));
        spec.set(
                "initContainers",
                json(
                        """
                        [{"name": "prepare", "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}]}]
                        """));

        ObjectNode changed = changed(ON_GPUS, pod);

        assertThat(changed.at("/metadata/labels"))
                .isEqualTo(json("{\"app\": \"train\", \"forebay.dev/admitted\": \"true\"}"));
        assertThat(changed.at("/spec/schedulingGates"))
                .extracting(gate -> gate.get("name").asText())
                .containsExactly("kueue.x-k8s.io/admission", "forebay.dev/warm");
        assertThat(changed.at("/spec/nodeSelector"))
                .isEqualTo(json("{\"zone\": \"a\", \"nvidia.com/gpu.present\": \"true\"}"));
        assertThat(changed.at("/spec/volumes"))
                .extracting(volume -> volume.get("name").asText())
                .containsExactly("scratch", "forebay");
        assertThat(changed.at("/spec/initContainers/0/volumeMounts"))
                .extracting(mount -> mount.get("mountPath").asText())
                .containsExactly("/scratch", "/mnt/forebay");
    }

    /** The form that docs/kubernetes-jobs.md recommended before the webhook existed. */
    @Test
    void aPodKeepsItsOwnMountOfTheTreeAndReceivesLaterMounts() {
        ObjectNode pod =
                parse(
                        """
                        {"metadata": {"annotations": {"forebay.dev/dataset": "search/ko-bert@v1"}},
                         "spec": {"volumes": [{"name": "mine", "hostPath": {"path": "/mnt/forebay"}}],
                                  "containers": [{"name": "a", "volumeMounts": [{"name": "mine", "mountPath": "/mnt/forebay"}]},
                                                 {"name": "b"}]}}
                        """);

        ObjectNode changed = changed(CHANGE, pod);

        assertThat(changed.at("/spec/volumes")).isEqualTo(pod.at("/spec/volumes"));
        assertThat(changed.at("/spec/containers/0/volumeMounts"))
                .isEqualTo(
                        json(
                                """
                                [{"name": "mine", "mountPath": "/mnt/forebay", "mountPropagation": "HostToContainer"}]
                                """));
        assertThat(changed.at("/spec/containers/1/volumeMounts/0/name").asText()).isEqualTo("mine");
    }

    @Test
    void aPodWithoutARequestIsNotChanged() {
        ObjectNode pod = TrainingPod.plain();
        ((ObjectNode) pod.get("metadata")).remove("annotations");

        assertThat(CHANGE.patch(pod)).isEmpty();
        assertThat(CHANGE.patch(parse("{}"))).isEmpty();
    }

    @Test
    void aPodThatConflictsWithTheChangeIsRefused() {
        ObjectNode bound = TrainingPod.plain();
        ((ObjectNode) bound.get("spec")).put("nodeName", "node-1");
        refused(bound, "spec.nodeName 'node-1'");

        ObjectNode elsewhere = TrainingPod.plain();
        ((ObjectNode) elsewhere.get("spec"))
                .set("nodeSelector", json("{\"nvidia.com/gpu.present\": \"false\"}"));
        refused(elsewhere, "spec.nodeSelector nvidia.com/gpu.present 'false'");

        ObjectNode taken = TrainingPod.plain();
        ((ObjectNode) taken.get("spec"))
                .set("volumes", json("[{\"name\": \"forebay\", \"emptyDir\": {}}]"));
        refused(taken, "spec.volumes 'forebay'");

        refused(
                parse(
                        """
                        {"metadata": {"annotations": {"forebay.dev/dataset": "search/ko-bert@v1"}},
                         "spec": {"volumes": [{"name": "scratch", "emptyDir": {}}],
                                  "containers": [{"name": "a", "volumeMounts": [{"name": "scratch", "mountPath": "/mnt/forebay"}]}]}}
                        """),
                "spec.containers.volumeMounts /mnt/forebay 'scratch'");
    }

    private static void refused(ObjectNode pod, String said) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> ON_GPUS.patch(pod))
                .withMessageContaining(said);
    }

    @Test
    void aPodPrefersNodesThatHoldItsVersion() {
        ObjectNode changed = changed(BY_LABEL, TrainingPod.plain());

        assertThat(changed.at("/spec/affinity"))
                .isEqualTo(
                        json(
                                """
                                {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [%s]}}
                                """
                                        .formatted(PREFERENCE.formatted(70, KEY))));
        assertThat(changed(CHANGE, TrainingPod.plain()).at("/spec/affinity").isMissingNode())
                .isTrue();
    }

    @Test
    void aPodKeepsItsOwnNodeAffinity() {
        ObjectNode pod = TrainingPod.plain();
        ObjectNode spec = (ObjectNode) pod.get("spec");
        String own =
                """
                {"weight": 5, "preference": {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}}
                """;
        String all =
                """
                {"podAntiAffinity": {},
                 "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []},
                                  "preferredDuringSchedulingIgnoredDuringExecution": [%s]}}
                """;
        spec.set("affinity", json(all.formatted(own)));

        ObjectNode changed = changed(BY_LABEL, pod);

        assertThat(changed.at("/spec/affinity"))
                .isEqualTo(json(all.formatted(own + "," + PREFERENCE.formatted(70, KEY))));
    }

    /** The author of the pod has chosen the weight. */
    @Test
    void anExistingPreferenceKeepsItsWeight() {
        ObjectNode pod = TrainingPod.plain();
        ((ObjectNode) pod.get("spec"))
                .set(
                        "affinity",
                        json(
                                """
                                {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [%s]}}
                                """
                                        .formatted(PREFERENCE.formatted(3, KEY))));

        assertThat(changed(BY_LABEL, pod).at("/spec/affinity")).isEqualTo(pod.at("/spec/affinity"));
    }
}
