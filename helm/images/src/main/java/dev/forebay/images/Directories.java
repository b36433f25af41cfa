package dev.forebay.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Creates and deletes the directories of a build. */
final class Directories {

    private Directories() {}

    /** Replaces a directory, if it exists, by an empty one. */
    static Path fresh(Path directory) throws IOException {
        delete(directory);
        return Files.createDirectories(directory);
    }

    /** Deletes a directory with all its content. Does not follow links. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        for (Path path : below(directory).reversed()) {
            Files.delete(path);
        }
    }

    /** Returns a directory and everything below it, parents before children, by name. */
    static List<Path> below(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            return tree.sorted(Comparator.naturalOrder()).toList();
        }
    }
}
