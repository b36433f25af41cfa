package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a program until it ends. */
final class Command {
    private static final int MINUTES = 30;
    private static final int VERSION_SECONDS = 10;
    private static final int VERSION_BYTES = 16_384;
    private static final int TAIL_LINES = 12;

    private Command() {}

    /** Runs a program and appends its output to a log. Any exit code except 0 is an error. */
    static void run(
            Path directory, Map<String, String> environment, Path log, List<String> command) {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        Process process = start(builder);
        try {
            process.getOutputStream().close();
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
                throw new DevstackException(
                        "%s did not end in %d minutes".formatted(command.getFirst(), MINUTES));
            }
            if (process.exitValue() != 0) {
                throw new DevstackException(
                        "%s failed:%n%s".formatted(String.join(" ", command), tail(log)));
            }
        } catch (IOException e) {
            throw new DevstackException("cannot run " + command.getFirst(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted", e);
        } finally {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
        }
    }

    private static Process start(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException e) {
            throw new DevstackException("cannot run " + builder.command().getFirst(), e);
        }
    }

    /**
     * Returns the first 16 KiB that {@code program --version} writes, or an empty text if it does
     * not run or does not end in 10 seconds.
     */
    static String version(Path program) {
        try {
            Process process =
                    new ProcessBuilder(program.toString(), "--version")
                            .redirectErrorStream(true)
                            .start();
            process.getOutputStream().close();
            // Fits into the pipe. A program that writes more than that is ended.
            if (!process.waitFor(VERSION_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return "";
            }
            byte[] output = process.getInputStream().readNBytes(VERSION_BYTES);
            return process.exitValue() == 0 ? new String(output, StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private static String tail(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join(
                        System.lineSeparator(),
                        lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()))
                .indent(2)
                .stripTrailing();
    }
}
