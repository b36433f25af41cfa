package dev.forebay.system;

import dev.forebay.devstack.fault.InputEnd;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A process that performs random file operations and compares every answer with the model. It runs
 * until its standard input ends or an answer is wrong.
 *
 * <p>Reads at random offsets and to the end, around blocks and around the end of the file, with
 * read and mmap. Files stay open or were just opened, and pages are cached or were just dropped.
 * This is what fsx does, but for files that it cannot write.
 */
final class ModelReader {

    /** Longer than the 30 s within which a read succeeds or fails. */
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(40);

    /** The longest pause between two operations, which leaves processor time to other processes. */
    static final int PAUSE_MILLIS = Integer.getInteger("forebay.model.pause", 10);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
    private static final int OPEN_FILES = 12;
    private static final int REMEMBERED = 40;

    /**
     * The most reads of one file from start to end. They should take less time than the limit
     * above.
     */
    private static final int STEPS = 500;

    private final List<ModelVersion> versions = ModelVersion.all();
    private final Deque<String> last = new ArrayDeque<>();
    private final List<OpenFile> open = new ArrayList<>();
    private final SplittableRandom random;
    private final ModelBoard board;
    private final int number;
    private final Path mountpoint;
    private final FileReads reads;
    private long operations;
    private long excused;

    /**
     * A file that stays open.
     *
     * @param rotten the board's value before the file was opened
     */
    private record OpenFile(
            ModelVersion version, String name, long rotten, FileReads.Opened opened) {}

    @FunctionalInterface
    private interface Operation {
        void run() throws IOException;
    }

    private ModelReader(long seed, ModelBoard board, int number, Path mountpoint, FileReads reads) {
        this.random = new SplittableRandom(seed + number);
        this.board = board;
        this.number = number;
        this.mountpoint = mountpoint;
        this.reads = reads;
    }

    /**
     * Runs the reader.
     *
     * @param arguments a way of {@link FileReads}, the seed, this reader's number, the board, the
     *     mountpoint, the directory of manifests, and the workers
     */
    public static void main(String[] arguments) throws Exception {
        long seed = Long.parseLong(arguments[1]);
        Path mountpoint = Path.of(arguments[4]);
        FileReads reads =
                FileReads.of(
                        FileReads.Way.valueOf(arguments[0]),
                        mountpoint,
                        Path.of(arguments[5]),
                        List.of(arguments).subList(6, arguments.length));
        ModelReader reader =
                new ModelReader(
                        seed,
                        ModelBoard.open(Path.of(arguments[3])),
                        Integer.parseInt(arguments[2]),
                        mountpoint,
                        reads);
        InputEnd end = InputEnd.watch();
        while (!end.isReached()) {
            reader.once();
            if (PAUSE_NANOS > 0) {
                LockSupport.parkNanos(reader.random.nextLong(PAUSE_NANOS));
            }
        }
        System.out.printf("ENDED %d operations, %d excused%n", reader.operations, reader.excused);
        System.exit(0);
    }

    private void once() {
        if (open.isEmpty()) {
            openOne();
            return;
        }
        int choice = random.nextInt(20);
        if (choice < 14 || !reads.hasNames()) {
            switch (choice) {
                case 0, 1, 14 -> openOne();
                case 2, 15 -> closeOne();
                case 3 -> toTheEnd();
                default -> burst();
            }
        } else {
            switch (choice) {
                case 14, 15 -> stat();
                case 16 -> list();
                case 17 -> absent();
                default -> dropPages();
            }
        }
    }

    private ModelVersion someVersion() {
        return versions.get(random.nextInt(versions.size()));
    }

    private String someFile(ModelVersion version) {
        int at = random.nextInt(version.files().size() + 12);
        // Prefers large files: they are few, but consist of many pieces.
        return at < 12
                ? "big/" + at % 3
                : version.files().keySet().stream().skip(at - 12L).findFirst().orElseThrow();
    }

    private void openOne() {
        ModelVersion version = someVersion();
        String file = someFile(version);
        if (open.size() >= OPEN_FILES) {
            closeOne();
        }
        long rotten = board.rotten(version.index());
        attempt(
                "open",
                version,
                file,
                () -> open.add(new OpenFile(version, file, rotten, reads.open(version, file))));
    }

    private void closeOne() {
        OpenFile file = open.remove(random.nextInt(open.size()));
        attempt("close", file.version(), file.name(), file.opened()::close);
    }

    /** Performs many reads of one file. */
    private void burst() {
        OpenFile file = open.get(random.nextInt(open.size()));
        int size = file.version().size(file.name());
        ModelContent content = file.version().content(file.name());
        int times = 1 + random.nextInt(reads.burst());
        attemptRead(
                "burst of " + times,
                file,
                () -> {
                    for (int i = 0; i < times; i++) {
                        // Includes offsets around the end and behind it.
                        long from = random.nextLong(size + 3L);
                        int length = 1 + random.nextInt(someBound());
                        file.opened().check(content, size, from, length);
                    }
                    board.countReads(number, times);
                });
    }

    private int someBound() {
        int kind = random.nextInt(100);
        return kind < 90 ? 512 : kind < 98 ? 65_536 : FileReads.LONGEST;
    }

    private void toTheEnd() {
        OpenFile file = open.get(random.nextInt(open.size()));
        int size = file.version().size(file.name());
        ModelContent content = file.version().content(file.name());
        attemptRead(
                "read to the end",
                file,
                () -> {
                    long at = random.nextLong(size + 1L);
                    int step = Math.max(size / STEPS, 1 + random.nextInt(FileReads.LONGEST));
                    for (; at < size; at += step) {
                        file.opened().check(content, size, at, step);
                        board.countReads(number, 1);
                    }
                });
    }

    private Path path(ModelVersion version, String file) {
        return version.path(mountpoint, file);
    }

    private void stat() {
        ModelVersion version = someVersion();
        String file = someFile(version);
        attempt(
                "stat",
                version,
                file,
                () -> {
                    long size = Files.size(path(version, file));
                    if (size != version.size(file)) {
                        throw new WrongAnswer("a size of " + size);
                    }
                });
    }

    private void list() {
        ModelVersion version = someVersion();
        Set<String> expected = new HashSet<>();
        for (String file : version.files().keySet()) {
            if (file.startsWith(ModelVersion.SMALL)) {
                expected.add(file.substring(ModelVersion.SMALL.length() + 1));
            }
        }
        attempt(
                "list",
                version,
                ModelVersion.SMALL,
                () -> {
                    try (Stream<Path> listed = Files.list(path(version, ModelVersion.SMALL))) {
                        Set<String> names = new HashSet<>();
                        listed.forEach(entry -> names.add(entry.getFileName().toString()));
                        if (!names.equals(expected)) {
                            throw new IOException("a listing of " + names.size() + " names");
                        }
                    }
                });
    }

    private void absent() {
        ModelVersion version = someVersion();
        String file = "small/none-" + random.nextInt(1000);
        attempt(
                "look for what is not there",
                version,
                file,
                () -> {
                    try {
                        throw new WrongAnswer("a size of " + Files.size(path(version, file)));
                    } catch (NoSuchFileException right) {
                        // Expected.
                    }
                });
    }

    private void dropPages() {
        ModelVersion version = someVersion();
        String file = someFile(version);
        attempt(
                "drop pages",
                version,
                file,
                () -> {
                    try (LinuxFile open = LinuxFile.open(path(version, file))) {
                        open.dropPages();
                    }
                });
    }

    /**
     * Performs a read. Its bytes may be wrong if they rotted while the file was open. The file is
     * then not read again.
     */
    private void attemptRead(String what, OpenFile file, Operation operation) {
        attempt(
                what,
                file.version(),
                file.name(),
                () -> {
                    try {
                        operation.run();
                    } catch (WrongAnswer e) {
                        long rotten = board.rotten(file.version().index());
                        if (rotten % 2 == 0 && rotten == file.rotten()) {
                            throw e;
                        }
                        excused++;
                        open.remove(file);
                        file.opened().close();
                    }
                });
    }

    private void attempt(String what, ModelVersion version, String file, Operation operation) {
        long before = board.mounted(version.index());
        long start = System.nanoTime();
        last.addLast("%d: %s %s %s".formatted(operations++, what, version.name(), file));
        if (last.size() > REMEMBERED) {
            last.removeFirst();
        }
        try {
            operation.run();
        } catch (IOException
                | UncheckedIOException
                | DirectoryIteratorException
                | ForebayException
                | InternalError e) {
            // InternalError: the JVM reports SIGBUS on an unreadable mapped page this way.
            boolean mounted = before % 2 == 1 && board.mounted(version.index()) == before;
            boolean changed = version.index() == 0 && file.equals(ModelVersion.CHANGED);
            if (mounted && !changed) {
                fail(e);
            }
            excused++;
        } catch (WrongAnswer e) {
            fail(e);
        }
        if (System.nanoTime() - start > TIMEOUT_NANOS) {
            fail(new WrongAnswer("it took more than 40 s"));
        }
    }

    private void fail(Throwable e) {
        System.out.println("WRONG " + e + ". The last operations:");
        last.forEach(System.out::println);
        System.exit(1);
    }
}
