package dev.forebay.benchmarks.measure;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Runs programs of the operating system. */
public final class Command {

    private Command() {}

    /** Runs a program and discards its output. Fails if it does not exit with 0. */
    public static void run(String... command) throws IOException, InterruptedException {
        run(Map.of(), command);
    }

    /** Runs a program with additional environment variables. */
    public static void run(Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        Process process = builder.start();
        int status;
        try {
            status = process.waitFor();
        } finally {
            process.destroy();
        }
        if (status != 0) {
            throw new IOException(List.of(command) + " ended with " + status);
        }
    }
}
