package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Checks that names stay strings, although a YAML 1.1 parser, such as that of API servers, could
 * read them as other types.
 */
class ScalarsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MOST_CHARACTERS = 64 << 20;

    /** All values that may have any name. */
    private static final String NAMED =
            """
            image: {registry: "NAME", tag: "NAME", pullSecrets: ["NAME"]}
            token: {secret: "NAME", key: "NAME"}
            serviceAuthority: {secret: "NAME", key: "NAME"}
            trustStore: {secret: "NAME", key: "NAME"}
            temporal:
              target: "NAME:1"
              namespace: "NAME"
              tls: {enabled: true, secret: "NAME", authoritySecret: "NAME", authorityKey: "NAME", serverName: "NAME"}
            lake: {region: "NAME", secret: "NAME", accessKeyIdKey: "NAME", secretAccessKeyKey: "NAME"}
            monitoring:
              labels: {release: "NAME"}
              podMonitors: {enabled: true}
              alerts: {enabled: true}
              dashboards: {enabled: true, labels: {dashboard: "NAME"}}
            cleanUp: {priorityClassName: "NAME", podAnnotations: {a: "NAME"}, nodeSelector: {a: "NAME"}}
            controlPlane:
              enabled: true
              tlsSecret: "NAME"
              manifestBucket: "bucket-NAME"
              database: {url: "jdbc:postgresql://NAME/a", secret: "NAME", usernameKey: "NAME", passwordKey: "NAME"}
              priorityClassName: "NAME"
              podAnnotations: {a: "NAME"}
              serviceAccountAnnotations: {a: "NAME"}
              nodeSelector: {a: "NAME"}
              autoscaling: {enabled: true}
              datasets: {enabled: true}
              settings: {forebay.default-ttl: "NAME"}
            region:
              enabled: true
              name: "NAME"
              etcd: {priorityClassName: "NAME", image: "1:NAME", storage: {storageClass: "NAME"}}
              agent: {priorityClassName: "NAME", tlsSecret: "NAME"}
              webhook: {enabled: true}
              kueue: {enabled: true}
              nodeLabels: {enabled: true}
              workers:
                tlsSecret: "NAME"
                priorityClassName: "NAME"
                drainSeconds: 60
                autoscaling: {enabled: true}
                storage: {storageClass: "NAME"}
              node: {priorityClassName: "NAME", nodeSelector: {a: "NAME"}}
              holder: {settings: {FOREBAY_FUSE_REPLACE_AFTER: "NAME"}}
              csi: {enabled: true, registrar: {image: "1:NAME"}}
            """;

    /** An existing etcd, so that the chart installs none. */
    private static final String ETCD_ELSEWHERE =
            """
            region:
              etcd:
                endpoints: ["https://e:2379"]
                tls: {secret: "NAME", authoritySecret: "NAME", authorityKey: "NAME"}
            """;

    private static String text(String name, String... more) {
        return Chart.textOf(
                name,
                name,
                Stream.concat(Stream.of(NAMED), Arrays.stream(more))
                        .map(values -> values.replace("NAME", name))
                        .toArray(String[]::new));
    }

    /** Returns the type of each field of each object. */
    private static Map<String, JsonNodeType> types(String text) {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MOST_CHARACTERS);
        Map<String, JsonNodeType> types = new TreeMap<>();
        int[] objects = {0};
        new Yaml(new SafeConstructor(options))
                .loadAll(text)
                .forEach(it -> collect(JSON.valueToTree(it), "/" + objects[0]++, types));
        return types;
    }

    private static void collect(JsonNode node, String path, Map<String, JsonNodeType> types) {
        types.put(path, node.getNodeType());
        node.properties()
                .forEach(field -> collect(field.getValue(), path + "/" + field.getKey(), types));
        if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                collect(node.get(i), path + "/" + i, types);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2024", "no", "on", "1e3", "true", "null", "0x1f", "07"})
    void aNameStaysAStringWhateverItLooksLike(String name) {
        String text = text(name);

        assertThat(types(text)).isEqualTo(types(text("plain")));
        assertThat(types(text(name, ETCD_ELSEWHERE)))
                .isEqualTo(types(text("plain", ETCD_ELSEWHERE)));
        Release release = Release.parse(text);
        assertThat(release.objects())
                .filteredOn(object -> object.getMetadata().getNamespace() != null)
                .hasSizeGreaterThan(20)
                .allMatch(object -> object.getMetadata().getNamespace().equals(name));
        assertThat(release.settings("agent")).containsEntry("forebay.region", name);
        assertThat(release.environment("fuse")).containsEntry("FOREBAY_REGION", name);
    }

    /** A digest may consist of digits and one e, like a number. */
    @Test
    void aDigestStaysAString() {
        assertThat(text("plain").lines().filter(line -> line.contains("forebay.dev/settings:")))
                .hasSize(3)
                .allMatch(line -> line.strip().matches("forebay.dev/settings: \"[0-9a-f]{64}\""));
    }
}
