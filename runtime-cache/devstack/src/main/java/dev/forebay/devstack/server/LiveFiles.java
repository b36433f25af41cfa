package dev.forebay.devstack.server;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** The files of a server that runs, which come and go while somebody looks. */
public final class LiveFiles {

    private LiveFiles() {}

    /** The regular files below a directory, sorted; some may be gone already. */
    public static List<Path> below(Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (attributes.isRegularFile()) {
                            found.add(file);
                        }
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
        return found.stream().sorted().toList();
    }
}
