package dev.forebay.fuse.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.devstack.fault.LoopDisk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InodeNumbersTest {

    private static final Duration NEVER = Duration.ofDays(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir private Path directory;

    /** Needs permission to mount. */
    @Test
    void numbersRefusedByAFullDiskAreWrittenOnceThereIsSpace() throws Exception {
        var mounted = LoopDisk.mountIfAllowed(directory, "disk", 4L << 20);
        assumeTrue(mounted.isPresent(), "cannot mount an ext4 here");
        try (LoopDisk disk = mounted.get()) {
            Path ledger = disk.path().resolve("inodes");
            InodeNumbers numbers = InodeNumbers.keptIn(ledger, Duration.ofMillis(10));
            Map<String, Integer> first = numbers.of(List.of("first"));
            Path filler = disk.path().resolve("filler");
            fill(filler);
            // More names than fit into the ledger's last block, so that some are written.
            List<String> names =
                    IntStream.range(0, 300).mapToObj(i -> "x".repeat(100) + i).toList();
            Map<String, Integer> given = numbers.of(names);
            assertThat(linesOf(ledger)).hasSizeLessThan(1 + names.size());

            Files.delete(filler);

            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (linesOf(ledger).size() < 1 + names.size()) {
                assertThat(System.nanoTime()).as("not written in time").isLessThan(deadline);
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThat(numbers.of(names)).as("the writing thread has ended").isEqualTo(given);
            InodeNumbers successor = InodeNumbers.keptIn(ledger, NEVER);
            assertThat(successor.of(List.of("first"))).isEqualTo(first);
            assertThat(successor.of(names)).isEqualTo(given);
            assertThat(linesOf(ledger)).hasSize(1 + names.size()).doesNotHaveDuplicates();
        }
    }

    private static void fill(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer block = ByteBuffer.allocate(1 << 10);
            while (channel.write(block.clear()) > 0) {
                channel.force(false);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
        }
    }

    private static List<String> linesOf(Path ledger) throws IOException {
        return Files.readString(ledger).lines().toList();
    }

    /** Otherwise the next process would know two names by one number. */
    @Test
    void aProcessDoesNotWriteANumberThatAnotherOneHasWritten() throws Exception {
        List<String> alike = namesWithTheSameChecksum();
        Path ledger = directory.resolve("later/inodes");
        InodeNumbers late = InodeNumbers.keptIn(ledger, NEVER);
        Map<String, Integer> given = late.of(alike.subList(0, 1));
        Files.createDirectory(ledger.getParent());
        InodeNumbers other = InodeNumbers.keptIn(ledger, NEVER);
        assertThat(other.of(alike.subList(1, 2)).values())
                .as("both names get the same number")
                .containsExactlyElementsOf(given.values());

        late.of(List.of("third"));

        assertThat(late.of(alike.subList(0, 1))).as("as its kernel knows it").isEqualTo(given);
        Map<String, Integer> next =
                InodeNumbers.keptIn(ledger, NEVER)
                        .of(Stream.concat(alike.stream(), Stream.of("third")).toList());
        assertThat(next.values()).doesNotHaveDuplicates();
        assertThat(next).containsEntry(alike.get(1), given.get(alike.get(0)));
    }

    private static List<String> namesWithTheSameChecksum() {
        Map<Integer, String> seen = new HashMap<>();
        for (int i = 0; ; i++) {
            String name = "name-" + i * 0x9E3779B97F4A7C15L;
            CRC32C crc = new CRC32C();
            crc.update(name.getBytes(StandardCharsets.UTF_8));
            String before = seen.putIfAbsent((int) crc.getValue() & 0x7fffffff, name);
            if (before != null) {
                return List.of(before, name);
            }
        }
    }

    @Test
    void aRemovedOrDamagedLedgerIsWrittenAgain() throws Exception {
        Path ledger = directory.resolve("inodes");
        InodeNumbers numbers = InodeNumbers.keptIn(ledger);
        Map<String, Integer> first = numbers.of(List.of("a/b@v1", "a/b@v2"));
        String whole = Files.readString(ledger);

        Files.delete(ledger);
        Map<String, Integer> next = numbers.of(List.of("a/b@v3"));
        assertThat(Files.readString(ledger)).contains(whole.lines().toList());
        assertThat(InodeNumbers.keptIn(ledger).of(List.of("a/b@v1", "a/b@v2"))).isEqualTo(first);

        Files.writeString(ledger, "nonsense\n" + Files.readString(ledger));
        assertThat(InodeNumbers.keptIn(ledger).of(List.of("a/b@v3"))).isEqualTo(next);
        InodeNumbers other = InodeNumbers.keptIn(ledger);
        assertThat(other.of(List.of("a/b@v4", "a/b@v1")))
                .containsAllEntriesOf(Map.of("a/b@v1", first.getOrDefault("a/b@v1", 0)));
    }

    /** Only the ledger knows the number of the second of two names with the same checksum. */
    @Test
    void aFlippedBitLosesAtMostTheNumbersOfItsLine() throws Exception {
        List<String> alike = namesWithTheSameChecksum();
        List<String> names = Stream.concat(alike.stream(), Stream.of("a/b@v1", "a/b@v2")).toList();
        Path ledger = directory.resolve("inodes");
        Map<String, Integer> given = InodeNumbers.keptIn(ledger, NEVER).of(names);
        byte[] whole = Files.readAllBytes(ledger);

        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(ledger, flipped);
            Map<String, Integer> next =
                    InodeNumbers.keptIn(ledger, NEVER)
                            .of(
                                    Stream.concat(Stream.of("new"), names.reversed().stream())
                                            .toList());

            assertThat(next.values()).as("bit %d", bit).doesNotHaveDuplicates();
            assertThat(next).containsAllEntriesOf(onlyOf(names.subList(2, 4), given));
            if (bit / 8 >= indexAfterLines(whole, 2)) {
                assertThat(next).as("bit %d", bit).containsAllEntriesOf(given);
            }
            assertThat(InodeNumbers.keptIn(ledger, NEVER).of(names))
                    .as("written down, bit %d", bit)
                    .isEqualTo(onlyOf(names, next));
            assertThat(Files.readString(ledger, StandardCharsets.ISO_8859_1))
                    .doesNotContain("\n\0");
        }
    }

    private static Map<String, Integer> onlyOf(List<String> names, Map<String, Integer> numbers) {
        Map<String, Integer> some = new HashMap<>(numbers);
        some.keySet().retainAll(names);
        return some;
    }

    private static int indexAfterLines(byte[] text, int lines) {
        int index = 0;
        for (int left = lines; left > 0; index++) {
            left -= text[index] == '\n' ? 1 : 0;
        }
        return index;
    }

    /**
     * A start that fails ends the thread that shows mounts in this way, which needs no log message.
     */
    @Test
    void anInterruptedThreadLogsNoFailure() {
        Path ledger = directory.resolve("inodes");
        PrintStream usual = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            Thread.currentThread().interrupt();
            assertThat(InodeNumbers.keptIn(ledger, NEVER).of(List.of("name"))).hasSize(1);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
            System.setErr(usual);
        }
        assertThat(said.toString(StandardCharsets.UTF_8)).doesNotContain("Cannot store");
    }

    /** A process that locks a ledger until its input ends. */
    static final class Owner {
        public static void main(String[] arguments) throws IOException {
            try (FileChannel channel =
                            FileChannel.open(
                                    Path.of(arguments[0]),
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.WRITE);
                    FileLock _ = channel.lock()) {
                System.out.println("locked");
                int _ = System.in.read();
            }
        }
    }

    /** Simulates a process that is stopped while it writes. */
    @Test
    void aLockedLedgerDelaysOtherProcessesOnlyBriefly() throws Exception {
        Path ledger = directory.resolve("inodes");
        Process owner =
                new ProcessBuilder(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Owner.class.getName(),
                                ledger.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            assertThat(owner.inputReader().readLine()).isEqualTo("locked");
            InodeNumbers numbers = InodeNumbers.keptIn(ledger, Duration.ofMillis(10));
            CompletableFuture<Map<String, Integer>> given =
                    CompletableFuture.supplyAsync(() -> numbers.of(List.of("name")));
            assertThat(given).succeedsWithin(TIMEOUT);
            assertThat(linesOf(ledger)).isEmpty();

            owner.outputWriter().close();

            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (linesOf(ledger).isEmpty()) {
                assertThat(System.nanoTime()).as("not written in time").isLessThan(deadline);
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThat(InodeNumbers.keptIn(ledger, NEVER).of(List.of("name")))
                    .isEqualTo(given.join());
        } finally {
            owner.destroyForcibly();
        }
    }
}
