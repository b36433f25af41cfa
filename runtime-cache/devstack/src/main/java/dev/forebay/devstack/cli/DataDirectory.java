package dev.forebay.devstack.cli;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The data directory of a stack that a command starts for itself. */
final class DataDirectory {
    private DataDirectory() {}

    /** Removes the directory of a stack that has stopped. */
    static void remove(Path data) {
        try (Stream<Path> tree = Files.walk(data)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new DevstackException("cannot remove " + data, e);
        }
    }
}
