package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks when alerts fire, which metrics they use, and that their runbooks exist. */
class AlertsTest {

    static final Path ALERTS = Chart.DIRECTORY.resolve("files/alerts.yaml");

    private static final Path CASES = Path.of("src/test/resources/alerts-test.yaml");
    private static final String RUNBOOKS = "docs/operations.md#";
    private static final Pattern RUNBOOK = Pattern.compile("#+ (Alert: .*)");
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    /** Returns each rule of the file. */
    static List<JsonNode> alerts() throws IOException {
        List<JsonNode> alerts = new ArrayList<>();
        for (JsonNode group : YAML.readTree(ALERTS.toFile()).get("groups")) {
            group.get("rules").forEach(alerts::add);
        }
        assertThat(alerts).isNotEmpty().allMatch(rule -> rule.has("alert"));
        return alerts;
    }

    @Test
    void prometheusAcceptsTheRules() throws Exception {
        Promtool.succeeds("check", "rules", "--lint=all", "--lint-fatal", ALERTS.toString());
    }

    @Test
    void alertsFireWhenTheyShouldAndNotBefore() throws Exception {
        Promtool.succeeds("test", "rules", CASES.toString());
    }

    @Test
    void eachAlertHasACaseThatFiresAndOneThatDoesNot() throws IOException {
        Set<String> fires = new TreeSet<>();
        Set<String> silent = new TreeSet<>();
        for (JsonNode test : YAML.readTree(CASES.toFile()).get("tests")) {
            for (JsonNode tried : test.get("alert_rule_test")) {
                (tried.get("exp_alerts").isEmpty() ? silent : fires)
                        .add(tried.get("alertname").asText());
            }
        }
        assertThat(fires).containsExactlyElementsOf(names());
        assertThat(silent).containsExactlyElementsOf(names());
    }

    private static Set<String> names() throws IOException {
        Set<String> names = new TreeSet<>();
        for (JsonNode alert : alerts()) {
            assertThat(names.add(alert.get("alert").asText())).as(alert.toString()).isTrue();
        }
        return names;
    }

    @Test
    void alertsUseOnlyDocumentedMetrics() throws IOException {
        DocumentedMetrics metrics = DocumentedMetrics.read();

        for (JsonNode alert : alerts()) {
            metrics.assertKnow(alert.get("expr").asText());
        }
    }

    @Test
    void everyAlertHasARunbookAndEveryRunbookAnAlert() throws IOException {
        Set<String> runbooks = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("../docs/operations.md"))) {
            var heading = RUNBOOK.matcher(line);
            if (heading.matches()) {
                runbooks.add(RUNBOOKS + anchor(heading.group(1)));
            }
        }
        Set<String> named = new TreeSet<>();
        for (JsonNode alert : alerts()) {
            assertThat(alert.at("/annotations/summary").asText()).isNotBlank();
            named.add(alert.at("/annotations/runbook_url").asText());
        }
        assertThat(named).isEqualTo(runbooks);
    }

    /** Returns the anchor that GitHub makes from a heading. */
    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }

    @Test
    void theChartHasTheAlertsOnlyIfEnabled() throws IOException {
        assertThat(rules(Chart.render(Chart.REGION))).isEmpty();

        List<GenericKubernetesResource> rules =
                rules(Chart.render(Chart.REGION, "{monitoring: {alerts: {enabled: true}}}"));

        assertThat(rules).hasSize(1);
        JsonNode spec = YAML.valueToTree(rules.getFirst().get("spec"));
        assertThat(spec).isEqualTo(YAML.readTree(ALERTS.toFile()));
    }

    @Test
    void valuesSetTheLabelsAndTheRunbookUrlsOfAlerts() {
        GenericKubernetesResource rule =
                rules(
                                Chart.render(
                                        Chart.CONTROL_PLANE,
                                        """
                                        monitoring:
                                          labels: {release: prometheus, app.kubernetes.io/instance: other}
                                          alerts: {enabled: true, runbooks: "https://git.example.com/docs/"}
                                        """))
                        .getFirst();

        assertThat(rule.getMetadata().getLabels())
                .containsEntry("release", "prometheus")
                .containsEntry("app.kubernetes.io/instance", Chart.RELEASE);
        assertThat(YAML.valueToTree(rule.get("spec")).findValuesAsText("runbook_url"))
                .isNotEmpty()
                .allMatch(url -> url.startsWith("https://git.example.com/docs/operations.md#"));
    }

    private static List<GenericKubernetesResource> rules(Release release) {
        return release.all(GenericKubernetesResource.class)
                .filter(it -> it.getKind().equals("PrometheusRule"))
                .toList();
    }
}
