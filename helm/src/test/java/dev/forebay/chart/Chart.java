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

/** Renders the chart with Helm. */
final class Chart {

    static final Path DIRECTORY = Path.of("forebay");
    static final String RELEASE = "r";
    static final String NAMESPACE = "ml";

    /** The least values for a control plane. */
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

    /** The least values for a region. */
    static final String REGION =
            """
            image: {registry: registry.example.com/forebay}
            token: {secret: forebay-token}
            temporal: {target: "temporal.example.com:7233"}
            lake: {secret: lake-key}
            region: {enabled: true, name: us-east-1}
            """;

    private static final Helm HELM = new Helm(Map.of());

    /**
     * Results of Helm by release, namespace and values, because classes render the same values
     * again.
     */
    private static final Map<List<String>, Helm.Ended> RENDERED = new ConcurrentHashMap<>();

    private static final String KUBERNETES = "1.34.0";

    private Chart() {}

    /**
     * Renders a release.
     *
     * @param values documents of values; later ones override earlier ones
     */
    static Release render(String... values) {
        return Release.parse(text(values));
    }

    /** Returns the text of a rendered release. */
    static String text(String... values) {
        return textOf(RELEASE, NAMESPACE, values);
    }

    /** Returns the text of a release with another name, in another namespace. */
    static String textOf(String release, String namespace, String... values) {
        Helm.Ended ended = template(release, namespace, values);
        assertThat(ended.code()).as(ended.errors()).isZero();
        return ended.output();
    }

    /** Returns whether Helm renders a text that differs from {@code other}. */
    static boolean rendersOther(String other, String... values) {
        Helm.Ended ended = template(RELEASE, NAMESPACE, values);
        return ended.code() == 0 && !ended.output().equals(other);
    }

    /** Returns the error with which Helm refuses to render. */
    static String refusal(String... values) {
        Helm.Ended ended = template(RELEASE, NAMESPACE, values);
        assertThat(ended.code()).as("rendered").isNotZero();
        return ended.errors();
    }

    /** Returns the output of Helm's linter, which treats warnings as errors. */
    static String lint(String... values) {
        Helm.Ended ended = HELM.run(List.of("lint", "--strict", DIRECTORY.toString()), values);
        assertThat(ended.code()).as(ended.output()).isZero();
        return ended.output();
    }

    /**
     * Copies the chart and gives the copy another version.
     *
     * @param into must not exist
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
