package dev.forebay.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Reads trees of files, mounted or not, with calls of 1 MiB. */
final class Tree {
    private static final int READ_BYTES = 1 << 20;
    private static final ThreadLocal<ByteBuffer> BUFFER =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(READ_BYTES));

    private Tree() {}

    /** The regular files below a directory, in the order of their names. */
    static List<Path> files(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Reads files from beginning to end, and returns how many bytes they had. */
    static long read(int threads, List<Path> files) throws Exception {
        AtomicLong bytes = new AtomicLong();
        Parallel.forEach(threads, files, file -> bytes.addAndGet(read(file)));
        return bytes.get();
    }

    private static long read(Path file) throws IOException {
        long total = 0;
        ByteBuffer buffer = BUFFER.get();
        try (FileChannel in = FileChannel.open(file)) {
            for (int count = in.read(buffer.clear()); count >= 0; count = in.read(buffer.clear())) {
                total += count;
            }
        }
        return total;
    }

    /** Lists every directory and asks for the attributes of every entry; returns their number. */
    static long walk(Path root) throws IOException {
        List<Path> entries = new ArrayList<>();
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        entries.add(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path directory, BasicFileAttributes attributes) {
                        entries.add(directory);
                        return FileVisitResult.CONTINUE;
                    }
                });
        return entries.size();
    }

    static void delete(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
