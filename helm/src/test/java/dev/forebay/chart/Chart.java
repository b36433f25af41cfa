package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The chart as Helm sees it. */
final class Chart {

    static final Path DIRECTORY = Path.of("forebay");
    static final String RELEASE = "r";
    static final String NAMESPACE = "ml";

    /** What must be said of a control plane. */
    static final String CONTROL_PLANE =
            """
            image: {registry: registry.example.com/forebay}
            token: {secret: forebay-token}
            temporal: {target: "temporal.example.com:7233"}
            lake: {secret: lake-key}
            controlPlane:
              enabled: true
              manifestBucket: forebay-manifests
              database: {url: "jdbc:postgresql://pg:5432/forebay", secret: forebay-database}
            """;

    /** What must be said of a region. */
    static final String REGION =
            """
            image: {registry: registry.example.com/forebay}
            token: {secret: forebay-token}
            temporal: {target: "temporal.example.com:7233"}
            lake: {secret: lake-key}
            region: {enabled: true, name: us-east-1}
            """;

    private static final Helm HELM = new Helm(Map.of());

    /** What Helm rendered, by release, namespace and values: classes ask for the same again. */
    private static final Map<List<String>, Helm.Ended> RENDERED = new ConcurrentHashMap<>();

    private static final String KUBERNETES = "1.34.0";

    private Chart() {}

    /**
     * Renders a release.
     *
     * @param values documents of values, the later above the earlier
     */
    static Release render(String... values) {
        return Release.parse(text(values));
    }

    /** The text of a rendered release. */
    static String text(String... values) {
        return textOf(RELEASE, NAMESPACE, values);
    }

    /** The same, of a release with another name, in another namespace. */
    static String textOf(String release, String namespace, String... values) {
        Helm.Ended ended = template(release, namespace, values);
        assertThat(ended.code()).as(ended.errors()).isZero();
        return ended.output();
    }

    /** Whether Helm renders what is not the same as {@code other}. */
    static boolean rendersOther(String other, String... values) {
        Helm.Ended ended = template(RELEASE, NAMESPACE, values);
        return ended.code() == 0 && !ended.output().equals(other);
    }

    /** Why Helm refuses to render. */
    static String refusal(String... values) {
        Helm.Ended ended = template(RELEASE, NAMESPACE, values);
        assertThat(ended.code()).as("rendered").isNotZero();
        return ended.errors();
    }

    /** What a linter says that takes warnings for errors. */
    static String lint(String... values) {
        Helm.Ended ended = HELM.run(List.of("lint", "--strict", DIRECTORY.toString()), values);
        assertThat(ended.code()).as(ended.output()).isZero();
        return ended.output();
    }

    /**
     * A copy of the chart that says that it is of another version.
     *
     * @param into is not there yet
     */
    static Path ofVersion(String version, Path into) throws IOException {
        try (Stream<Path> files = Files.walk(DIRECTORY)) {
            for (Path file : files.toList()) {
                Files.copy(file, into.resolve(DIRECTORY.relativize(file).toString()));
            }
        }
        Path about = into.resolve("Chart.yaml");
        String here = Files.readString(about);
        Files.writeString(
                about, here.replaceAll("(?m)^(version|appVersion): .*$", "$1: " + version));
        return into;
    }

    private static Helm.Ended template(String release, String namespace, String... values) {
        List<String> key = new ArrayList<>(List.of(release, namespace));
        key.addAll(List.of(values));
        return RENDERED.computeIfAbsent(
                List.copyOf(key), _ -> HELM.run(command(release, namespace), values));
    }

    private static List<String> command(String release, String namespace) {
        return List.of(
                "template",
                release,
                DIRECTORY.toString(),
                "--namespace",
                namespace,
                "--kube-version",
                KUBERNETES);
    }
}
