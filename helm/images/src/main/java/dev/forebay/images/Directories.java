package dev.forebay.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Directories that a build makes and takes away. */
final class Directories {

    private Directories() {}

    /** An empty directory in the place of whatever was there. */
    static Path fresh(Path directory) throws IOException {
        delete(directory);
        return Files.createDirectories(directory);
    }

    /** Deletes a directory with all that is in it; not where links lead to. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        for (Path path : below(directory).reversed()) {
            Files.delete(path);
        }
    }

    /** A directory and all that is below it, what is above before what is below it, by name. */
    static List<Path> below(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            return tree.sorted(Comparator.naturalOrder()).toList();
        }
    }
}
