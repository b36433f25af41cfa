package dev.forebay.system;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** The files in a worker's chunk store, which come and go while somebody looks. */
final class StoreFiles {

    private StoreFiles() {}

    /** The chunk files in a worker's directory, sorted; some may be gone already. */
    static List<Path> of(Path store) throws IOException {
        SortedSet<Path> found = new TreeSet<>();
        Files.walkFileTree(
                store.resolve("chunks"),
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        found.add(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException failure)
                            throws IOException {
                        if (failure instanceof NoSuchFileException) {
                            return FileVisitResult.CONTINUE;
                        }
                        throw failure;
                    }
                });
        return List.copyOf(found);
    }
}
