package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that the metrics of the dashboards exist, and that Grafana finds the dashboards. */
class DashboardsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DATA_SOURCE = "${datasource}";

    static List<Path> dashboards() throws IOException {
        try (Stream<Path> files = Files.list(Chart.DIRECTORY.resolve("files/dashboards"))) {
            List<Path> found = files.sorted().toList();
            assertThat(found)
                    .extracting(file -> file.getFileName().toString())
                    .containsExactly("cluster.json", "cost.json", "dataset.json");
            return found;
        }
    }

    /** Returns every query of a dashboard, including those of its variables. */
    static List<String> queries(Path dashboard) throws IOException {
        JsonNode tree = JSON.readTree(dashboard.toFile());
        List<String> queries = new ArrayList<>(tree.findValuesAsText("expr"));
        queries.addAll(tree.findValuesAsText("definition"));
        assertThat(queries).hasSizeGreaterThan(1);
        return queries;
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void dashboardsUseOnlyDocumentedMetrics(Path dashboard) throws IOException {
        DocumentedMetrics metrics = DocumentedMetrics.read();

        for (String query : queries(dashboard)) {
            metrics.assertKnow(query);
        }
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void panelsUseTheChosenPrometheusAndDoNotOverlap(Path dashboard) throws IOException {
        JsonNode tree = JSON.readTree(dashboard.toFile());
        Set<Integer> ids = new HashSet<>();
        Set<String> places = new HashSet<>();

        assertThat(tree.get("uid").asText()).startsWith("forebay-");
        for (JsonNode panel : tree.get("panels")) {
            String title = panel.get("title").asText();
            assertThat(ids.add(panel.get("id").asInt())).as(title).isTrue();
            JsonNode grid = panel.get("gridPos");
            for (int x = 0; x < grid.get("w").asInt(); x++) {
                for (int y = 0; y < grid.get("h").asInt(); y++) {
                    int column = grid.get("x").asInt() + x;
                    assertThat(column).as(title).isLessThan(24);
                    assertThat(places.add(column + "," + (grid.get("y").asInt() + y)))
                            .as(title)
                            .isTrue();
                }
            }
            if (panel.get("type").asText().equals("row")) {
                continue;
            }
            assertThat(panel.at("/datasource/uid").asText()).as(title).isEqualTo(DATA_SOURCE);
            assertThat(panel.get("targets")).as(title).isNotEmpty();
        }
    }

    @Test
    void grafanaFindsDashboardsByTheirLabel() throws IOException {
        assertThat(shown("{}")).isEmpty();

        List<ConfigMap> shown =
                shown(
                        """
                        monitoring: {dashboards: {enabled: true, labels: {grafana_dashboard: ml}}}
                        """);

        assertThat(shown).hasSize(3);
        for (ConfigMap dashboard : shown) {
            assertThat(dashboard.getMetadata().getLabels())
                    .containsEntry("grafana_dashboard", "ml");
            Map.Entry<String, String> file =
                    dashboard.getData().entrySet().stream().findFirst().orElseThrow();
            assertThat(file.getKey()).matches("forebay-[a-z]+\\.json");
            Path original =
                    Chart.DIRECTORY
                            .resolve("files/dashboards")
                            .resolve(file.getKey().substring("forebay-".length()));
            assertThat(JSON.readTree(file.getValue())).isEqualTo(JSON.readTree(original.toFile()));
        }
    }

    private static List<ConfigMap> shown(String values) {
        return Chart.render(Chart.REGION, values)
                .all(ConfigMap.class)
                .filter(it -> Release.component(it).equals("dashboards"))
                .toList();
    }
}
