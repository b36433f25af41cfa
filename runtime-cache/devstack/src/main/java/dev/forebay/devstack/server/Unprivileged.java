package dev.forebay.devstack.server;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs a program that refuses root, such as PostgreSQL, if this process is root.
 *
 * <p>In a new user namespace without a mapping ({@code unshare -U}) the process sees itself as the
 * overflow user and has no capabilities, but still owns root's files. Therefore the data may stay
 * below a directory that other users cannot enter, and no file changes its owner.
 */
final class Unprivileged {
    private Unprivileged() {}

    static List<String> prefix(String name) {
        if (!isRoot()) {
            return List.of();
        }
        String unshare = Spawner.program("unshare").orElse("");
        if (unshare.isEmpty() || !works(unshare)) {
            throw new DevstackException(
                    name
                            + " does not run as root, and user namespaces (unshare -U) are not"
                            + " available here: run as another user");
        }
        return List.of(unshare, "-U");
    }

    private static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        } catch (IOException | UnsupportedOperationException e) {
            return "root".equals(System.getProperty("user.name"));
        }
    }

    private static boolean works(String unshare) {
        try {
            return new ProcessBuilder(unshare, "-U", "true").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
