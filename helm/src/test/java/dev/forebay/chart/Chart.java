package dev.forebay.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.tool.Toolbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

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

    private static final Path HELM = Toolbox.ofThisMachine().helm();
    private static final String KUBERNETES = "1.34.0";
    private static final int SECONDS = 60;

    /** How a run of Helm ended. */
    private record Ended(int code, String output, String errors) {}

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
        Ended ended = template(values);
        assertThat(ended.code()).as(ended.errors()).isZero();
        return ended.output();
    }

    /** Why Helm refuses to render. */
    static String refusal(String... values) {
        Ended ended = template(values);
        assertThat(ended.code()).as("rendered").isNotZero();
        return ended.errors();
    }

    /** What a linter says that takes warnings for errors. */
    static String lint(String... values) {
        Ended ended = helm(List.of("lint", "--strict", DIRECTORY.toString()), values);
        assertThat(ended.code()).as(ended.output()).isZero();
        return ended.output();
    }

    private static Ended template(String... values) {
        return helm(
                List.of(
                        "template",
                        RELEASE,
                        DIRECTORY.toString(),
                        "--namespace",
                        NAMESPACE,
                        "--kube-version",
                        KUBERNETES),
                values);
    }

    private static Ended helm(List<String> arguments, String... values) {
        List<Path> files = new ArrayList<>();
        try {
            List<String> command = new ArrayList<>(List.of(HELM.toString()));
            command.addAll(arguments);
            for (String document : values) {
                Path file = Files.createTempFile("values", ".yaml");
                files.add(file);
                Files.writeString(file, document);
                command.addAll(List.of("--values", file.toString()));
            }
            Path errors = Files.createTempFile("helm", ".err");
            files.add(errors);
            Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
            return new Ended(process.exitValue(), output, Files.readString(errors));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } finally {
            files.forEach(Chart::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
