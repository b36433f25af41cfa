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

/** Lists files of a running server, which may appear and disappear meanwhile. */
public final class LiveFiles {

    private LiveFiles() {}

    /** Returns the regular files below a directory, sorted. Some may no longer exist. */
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
