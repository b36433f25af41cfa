package dev.forebay.benchmarks;

import java.io.IOException;
import java.util.List;

/** Programs of the operating system. */
final class Command {

    private Command() {}

    /** Runs one and throws away what it prints; fails if it does not end with 0. */
    static void run(String... command) throws IOException, InterruptedException {
        int status =
                new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start()
                        .waitFor();
        if (status != 0) {
            throw new IOException(List.of(command) + " ended with " + status);
        }
    }
}
