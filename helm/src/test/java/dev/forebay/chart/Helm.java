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
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs Helm.
 *
 * @param environment variables added to those of this JVM
 */
record Helm(Map<String, String> environment) {

    private static final Path PROGRAM = Toolbox.ofThisMachine().helm();
    private static final int SECONDS = 60;

    /** The result of a run. */
    record Ended(int code, String output, String errors) {}

    /**
     * Runs a command until it ends.
     *
     * @param values documents of values; later ones override earlier ones
     */
    Ended run(List<String> arguments, String... values) {
        List<Path> files = new ArrayList<>();
        try {
            List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
            command.addAll(arguments);
            for (String document : values) {
                Path file = Files.createTempFile("values", ".yaml");
                files.add(file);
                Files.writeString(file, document);
                command.addAll(List.of("--values", file.toString()));
            }
            Path errors = Files.createTempFile("helm", ".err");
            files.add(errors);
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
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
            files.forEach(Helm::delete);
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
