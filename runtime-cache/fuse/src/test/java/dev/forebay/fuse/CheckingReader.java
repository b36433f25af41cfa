package dev.forebay.fuse;

import dev.forebay.devstack.fault.InputEnd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A program that reads at random below a mounted version and compares every byte. It runs until its
 * standard input ends, and then reads once more. It drops pages before each read, so that the read
 * reaches the file system instead of the page cache.
 *
 * <p>Each way of reading has a thread. {@link Way#MAPPED} needs its own process. A thread that
 * waits for a page of a mapped file stops all others of its JVM at their next safepoint.
 */
final class CheckingReader {

    /** The ways of reading. */
    enum Way {
        BUFFERED,
        DIRECT,
        MAPPED,
        SMALL_FILES
    }

    static final int BIG_FILES = 3;
    static final int BIG_BYTES = 16 << 20;
    static final int SMALL_FILES = 300;

    /**
     * Files so deep that a program that walks the tree does not keep all folders above them open.
     */
    static final int DEEP_FILES = 3;

    static final String DEEP_FILE = "deep/%d/b/c/d/e/f";

    /** Operations that take longer than this are reported. */
    static final long SLOW_MICROS = 5_000;

    /** The number of operations between two reports of a reader. */
    private static final int REPORTED = 20;

    private static final int MAX_READ = 1 << 20;
    private static final int BLOCK = 4096;

    /** The increment of the niceness: a thread then gets a tenth of the share of others. */
    private static final int NICER = 10;

    private static final SortedMap<String, byte[]> OBJECTS =
            Collections.unmodifiableSortedMap(makeObjects());

    private final Path root;
    private final Random random;
    private final SortedMap<String, byte[]> expected = objects();
    private long operations;

    private CheckingReader(Path root, long seed) {
        this.root = root;
        this.random = new Random(seed);
    }

    /** Returns the objects of the version. */
    static SortedMap<String, byte[]> objects() {
        return OBJECTS;
    }

    private static SortedMap<String, byte[]> makeObjects() {
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        for (int i = 0; i < BIG_FILES; i++) {
            objects.put("big/%d.bin".formatted(i), TestDataset.bytes(BIG_BYTES, i));
        }
        for (int i = 0; i < SMALL_FILES; i++) {
            objects.put("small/%03d".formatted(i), TestDataset.bytes(1000 + i * 100, 1000 + i));
        }
        for (int i = 0; i < DEEP_FILES; i++) {
            objects.put(DEEP_FILE.formatted(i), TestDataset.bytes(100, 2000 + i));
        }
        return objects;
    }

    /**
     * Runs the program.
     *
     * @param arguments {@link Way}s separated by commas, the version's directory, a seed, and the
     *     longest pause between two reads in milliseconds, 0 for none
     */
    public static void main(String[] arguments) throws InterruptedException {
        Path root = Path.of(arguments[1]);
        long seed = Long.parseLong(arguments[2]);
        long pauseMillis = Long.parseLong(arguments[3]);
        InputEnd end = InputEnd.watch();
        List<Thread> threads = new ArrayList<>();
        for (String name : arguments[0].split(",", -1)) {
            Way way = Way.valueOf(name);
            CheckingReader reader = new CheckingReader(root, seed + name.hashCode());
            threads.add(Thread.ofPlatform().start(() -> reader.read(way, pauseMillis, end)));
        }
        System.out.println("READING");
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void read(Way way, long pauseMillis, InputEnd end) {
        giveWay();
        long reported = 0;
        boolean last;
        do {
            last = end.isReached();
            try {
                readOnce(way);
            } catch (IOException | RuntimeException | Error e) {
                System.out.println("ERROR " + e);
            }
            if (operations >= reported + REPORTED) {
                reported = operations;
                System.out.printf("DONE %s %d%n", way, operations);
            }
            if (pauseMillis > 0 && !last) {
                LockSupport.parkNanos(random.nextLong(pauseMillis * 1_000_000));
            }
        } while (!last);
        System.out.println("READ " + operations);
    }

    /** Lowers this thread's priority, so that the pods that serve it start in time. */
    private static void giveWay() {
        Libc.Answer answer = Libc.call("nice", NICER);
        if (answer.errno() != 0) {
            throw new AssertionError("nice: errno " + answer.errno());
        }
    }

    private void readOnce(Way way) throws IOException {
        if (way == Way.SMALL_FILES) {
            readSmall();
            return;
        }
        String name = "big/%d.bin".formatted(random.nextInt(BIG_FILES));
        int length = (1 + random.nextInt(MAX_READ / BLOCK)) * BLOCK;
        int from = random.nextInt((BIG_BYTES - length) / BLOCK) * BLOCK;
        Path file = root.resolve(name);
        byte[] bytes = new byte[length];
        try (NativeFile open = NativeFile.open(file)) {
            open.dropPages();
            switch (way) {
                case BUFFERED -> timed(() -> readFully(open, bytes, from));
                case DIRECT -> readDirect(file, bytes, from);
                case MAPPED -> readMapped(file, bytes, from);
                case SMALL_FILES -> throw new AssertionError();
            }
        }
        check(name, from, bytes);
    }

    private static void readFully(NativeFile file, byte[] target, long offset) throws IOException {
        int done = 0;
        while (done < target.length) {
            byte[] part = new byte[target.length - done];
            Libc.Answer answer = file.read(part, offset + done);
            if (answer.result() <= 0) {
                throw new IOException("read at %d: %s".formatted(offset + done, answer));
            }
            System.arraycopy(part, 0, target, done, (int) answer.result());
            done += (int) answer.result();
        }
    }

    private void readDirect(Path file, byte[] target, long offset) throws IOException {
        try (NativeFile direct = NativeFile.openDirect(file)) {
            timed(() -> readFully(direct, target, offset));
        }
    }

    private void readMapped(Path file, byte[] target, long offset) throws IOException {
        try (Arena arena = Arena.ofConfined();
                FileChannel channel = FileChannel.open(file)) {
            MemorySegment mapped =
                    channel.map(FileChannel.MapMode.READ_ONLY, offset, target.length, arena);
            timed(
                    () ->
                            MemorySegment.copy(
                                    mapped, ValueLayout.JAVA_BYTE, 0, target, 0, target.length));
        }
    }

    private void readSmall() throws IOException {
        int number = random.nextInt(SMALL_FILES);
        String name = "small/%03d".formatted(number);
        Path file = root.resolve(name);
        byte[] bytes = new byte[expected.getOrDefault(name, new byte[0]).length];
        timed(
                () -> {
                    try (NativeFile open = NativeFile.open(file)) {
                        open.dropPages();
                        readFully(open, bytes, 0);
                    }
                });
        check(name, 0, bytes);
        timed(
                () -> {
                    if (Files.exists(root.resolve("small/none-" + number))) {
                        throw new IOException("a name that is not there is there");
                    }
                });
        if (number == 0) {
            timed(
                    () -> {
                        try (Stream<Path> all = Files.list(root.resolve("small"))) {
                            if (all.count() != SMALL_FILES) {
                                throw new IOException("a listing is not complete");
                            }
                        }
                    });
        }
    }

    private void check(String name, int from, byte[] bytes) {
        byte[] right = expected.getOrDefault(name, new byte[0]);
        if (!Arrays.equals(right, from, from + bytes.length, bytes, 0, bytes.length)) {
            System.out.printf("WRONG %s from %d on%n", name, from);
        }
    }

    @FunctionalInterface
    private interface Operation {
        void run() throws IOException;
    }

    private void timed(Operation operation) throws IOException {
        long start = micros();
        operation.run();
        long end = micros();
        operations++;
        if (end - start > SLOW_MICROS) {
            System.out.printf("SLOW %d %d%n", start, end);
        }
    }

    /** Returns the time since the epoch in microseconds. */
    static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
