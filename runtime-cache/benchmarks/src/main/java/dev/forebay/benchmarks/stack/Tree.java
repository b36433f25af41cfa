package dev.forebay.benchmarks.stack;

import dev.forebay.benchmarks.measure.Parallel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Reads trees of files, mounted or not, with calls of 1 MiB. */
public final class Tree {
    private static final int THREADS = 4;
    private static final int READ_BYTES = 1 << 20;
    private static final ThreadLocal<ByteBuffer> BUFFER =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(READ_BYTES));

    private Tree() {}

    /** Returns the regular files below a directory, in the order of their names. */
    public static List<Path> files(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /**
     * The result of a read.
     *
     * @param cpuSeconds of the reading threads
     */
    public record Read(long bytes, double cpuSeconds) {}

    /** Reads files from beginning to end. */
    public static Read read(int threads, List<Path> files) throws Exception {
        AtomicLong bytes = new AtomicLong();
        double cpu = Parallel.forEach(threads, files, file -> bytes.addAndGet(read(file)));
        return new Read(bytes.get(), cpu);
    }

    /** Returns a checksum, by which two lists of files with the same bytes can be compared. */
    public static long checksum(List<Path> files) throws Exception {
        AtomicLong sum = new AtomicLong();
        Parallel.forEach(
                THREADS,
                files,
                file -> {
                    CRC32C crc = new CRC32C();
                    ByteBuffer buffer = BUFFER.get();
                    try (FileChannel in = FileChannel.open(file)) {
                        while (in.read(buffer.clear()) >= 0) {
                            crc.update(buffer.flip());
                        }
                    }
                    sum.addAndGet(crc.getValue() * String.valueOf(file.getFileName()).hashCode());
                });
        return sum.get();
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

    /** Lists every directory and stats every entry. Returns the number of entries. */
    public static long walk(Path root) throws IOException {
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
}
