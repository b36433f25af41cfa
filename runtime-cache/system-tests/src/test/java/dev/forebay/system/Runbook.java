package dev.forebay.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs commands exactly as written in docs/operations.md. */
final class Runbook {

    private static final Path DOCUMENT = Path.of("../../docs/operations.md");
    private static final String COMMENT = "\\s+#.*";

    private final Path directory;
    private final Map<String, String> environment;

    /**
     * @param directory the working directory of the commands
     * @param environment the variables that they use
     */
    Runbook(Path directory, Map<String, String> environment) {
        this.directory = directory;
        this.environment = environment;
    }

    /**
     * Runs the only line of the document that equals this command, or starts with it, and returns
     * its output. Fails unless it exits with 0.
     */
    String run(String command) throws IOException, InterruptedException {
        String line = line(command);
        ProcessBuilder builder =
                new ProcessBuilder("sh", "-c", line)
                        .directory(directory.toFile())
                        .redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as("%s%n%s", line, printed).isZero();
        return printed;
    }

    private static String line(String command) throws IOException {
        List<String> lines;
        try (Stream<String> all = Files.lines(DOCUMENT)) {
            lines =
                    all.map(line -> line.strip().replaceFirst(COMMENT, ""))
                            .filter(line -> line.equals(command) || line.startsWith(command + " "))
                            .toList();
        }
        if (lines.contains(command)) {
            return command;
        }
        assertThat(lines).as("lines of %s that begin with '%s'", DOCUMENT, command).hasSize(1);
        return lines.getFirst();
    }
}
