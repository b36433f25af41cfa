package dev.forebay.agent.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.agent.jobs.Nodes;
import dev.forebay.agent.jobs.WarmLabels;
import dev.forebay.membership.NodeReport;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.NodeName;
import dev.forebay.model.RegionName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class NodeLabelsTest {

    private static final WarmLabels LABELS = new WarmLabels(new RegionName("us-east-1"));
    private static final DatasetVersion DIGITS = DatasetVersion.parse("vision/digits@v1");
    private static final DatasetVersion WORDS = DatasetVersion.parse("nlp/words@v2");

    private final FakeNodes nodes = new FakeNodes();
    private final Map<String, List<DatasetVersion>> said = new TreeMap<>();
    private boolean etcdIsAway;

    private final NodeLabels labels =
            new NodeLabels(LABELS, this::reports, nodes, Duration.ofMinutes(1));

    private List<NodeReport> reports() {
        if (etcdIsAway) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "etcd does not answer");
        }
        return said.entrySet().stream()
                .map(node -> new NodeReport(new NodeName(node.getKey()), node.getValue()))
                .toList();
    }

    private static String key(DatasetVersion version) {
        return LABELS.key(version);
    }

    @Test
    void labelsFollowTheReportsOfNodes() {
        nodes.add("gpu-0");
        nodes.add("gpu-1");
        said.put("gpu-0", List.of(DIGITS, WORDS));
        said.put("gpu-1", List.of(WORDS));

        labels.check();
        assertThat(nodes.ours("gpu-0")).containsOnlyKeys(key(DIGITS), key(WORDS));
        assertThat(nodes.ours("gpu-1")).isEqualTo(Map.of(key(WORDS), "nlp_words_v2"));
        assertThat(labels.count()).isEqualTo(3);

        said.put("gpu-0", List.of(WORDS));
        said.remove("gpu-1");
        labels.check();
        assertThat(nodes.ours("gpu-0")).containsOnlyKeys(key(WORDS));
        assertThat(nodes.ours("gpu-1")).isEmpty();
        assertThat(labels.count()).isEqualTo(1);
    }

    @Test
    void theAgentWritesNothingIfNoReportHasChanged() {
        nodes.add("gpu-0");
        nodes.add("idle");
        said.put("gpu-0", List.of(DIGITS));
        labels.check();
        assertThat(nodes.written).containsExactly("gpu-0");

        labels.check();
        new NodeLabels(LABELS, this::reports, nodes, Duration.ofMinutes(1)).check();
        assertThat(nodes.written).as("no second write, by this or another agent").hasSize(1);
    }

    @Test
    void theAgentKeepsForeignLabelsAndRestoresItsOwn() {
        nodes.add("gpu-0").put("zone", "a");
        nodes.labelsOf("gpu-0").put("us-west-2.warm.forebay.dev/x", "y");
        nodes.labelsOf("gpu-0").put(key(DIGITS), "spoilt");
        nodes.labelsOf("gpu-0").put(key(WORDS), "nlp_words_v2");
        said.put("gpu-0", List.of(DIGITS));

        labels.check();

        assertThat(nodes.labelsOf("gpu-0"))
                .isEqualTo(
                        Map.of(
                                "zone",
                                "a",
                                "us-west-2.warm.forebay.dev/x",
                                "y",
                                key(DIGITS),
                                "vision_digits_v1"));
    }

    @Test
    void theAgentSkipsANodeOutsideTheCluster() {
        said.put("elsewhere", List.of(DIGITS));
        labels.check();
        assertThat(nodes.written).isEmpty();
        assertThat(labels.count()).isZero();
    }

    @Test
    void labelsStayWhileEtcdIsUnreachable() {
        nodes.add("gpu-0");
        said.put("gpu-0", List.of(DIGITS));
        labels.check();
        said.clear();
        etcdIsAway = true;

        assertThatExceptionOfType(ForebayException.class).isThrownBy(labels::check);

        assertThat(nodes.ours("gpu-0")).containsOnlyKeys(key(DIGITS));
        assertThat(labels.count()).isEqualTo(1);
    }

    @Test
    void theAgentLabelsOtherNodesWhenSomeCannotBeLabelled() {
        for (int i = 0; i < 9; i++) {
            nodes.add("gpu-" + i);
            said.put("gpu-" + i, List.of(DIGITS));
        }
        nodes.refused = Set.of("gpu-0", "gpu-4");

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(labels::check)
                .withMessageContaining("refused");

        assertThat(nodes.written).hasSize(7);
    }

    @Test
    void theAgentStopsIfTheApiServerRefusesEveryLabel() {
        for (int i = 0; i < 50; i++) {
            nodes.add("gpu-" + i);
            said.put("gpu-" + i, List.of(DIGITS));
        }
        nodes.refused = said.keySet();

        assertThatExceptionOfType(ForebayException.class).isThrownBy(labels::check);

        assertThat(nodes.asked).isLessThan(10);
    }

    private static final class FakeNodes implements Nodes {

        private final Map<String, Map<String, String>> all = new TreeMap<>();
        private final List<String> written = new ArrayList<>();
        private Set<String> refused = Set.of();
        private int asked;

        Map<String, String> add(String name) {
            return all.computeIfAbsent(name, _ -> new HashMap<>());
        }

        Map<String, String> labelsOf(String name) {
            return all.getOrDefault(name, Map.of());
        }

        Map<String, String> ours(String name) {
            return labels(LABELS.prefix()).getOrDefault(name, Map.of());
        }

        @Override
        public Map<String, Map<String, String>> labels(String prefix) {
            return all.entrySet().stream()
                    .collect(
                            Collectors.toMap(
                                    Map.Entry::getKey,
                                    node ->
                                            node.getValue().entrySet().stream()
                                                    .filter(it -> it.getKey().startsWith(prefix))
                                                    .collect(
                                                            Collectors.toMap(
                                                                    Map.Entry::getKey,
                                                                    Map.Entry::getValue))));
        }

        @Override
        public void change(String node, Map<String, Optional<String>> labels) {
            asked++;
            if (refused.contains(node)) {
                throw new ForebayException(ErrorCode.UNAVAILABLE, "refused");
            }
            written.add(node);
            labels.forEach(
                    (key, value) ->
                            value.ifPresentOrElse(
                                    it -> labelsOf(node).put(key, it),
                                    () -> labelsOf(node).remove(key)));
        }
    }
}
