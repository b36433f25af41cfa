package dev.forebay.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a program of this machine until it ends. */
final class Command {

    private static final int MINUTES = 10;

    private Command() {}

    /**
     * Runs a program and returns its standard output.
     *
     * @throws IOException with all output, if the program does not exit with 0
     */
    static String run(Path directory, List<String> command)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("forebay-images", ".out");
        Path errors = Files.createTempFile("forebay-images", ".err");
        try {
            Process process =
                    new ProcessBuilder(command)
                            .directory(directory.toFile())
                            .redirectOutput(output.toFile())
                            .redirectError(errors.toFile())
                            .start();
            process.getOutputStream().close();
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new IOException(
                        "%s did not end in %d minutes".formatted(command.getFirst(), MINUTES));
            }
            String said = Files.readString(output);
            if (process.exitValue() != 0) {
                throw new IOException(
                        "%s failed:%n%s%s"
                                .formatted(
                                        String.join(" ", command), said, Files.readString(errors)));
            }
            return said;
        } finally {
            Files.delete(output);
            Files.delete(errors);
        }
    }
}
