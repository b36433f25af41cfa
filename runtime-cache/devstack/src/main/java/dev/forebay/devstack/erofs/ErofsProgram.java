package dev.forebay.devstack.erofs;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs a program that ends soon. */
final class ErofsProgram {

    private ErofsProgram() {}

    /**
     * Runs a program and returns its output.
     *
     * @throws DevstackException with the output, if the program does not exit with 0
     */
    static String run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new DevstackException(String.join(" ", command) + " failed: " + output);
            }
            return output;
        } catch (IOException e) {
            throw new DevstackException("cannot run " + command.getFirst(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted", e);
        }
    }
}
