package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.StoreLimits;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ScrubberTest {

    private static final int FLIPS = Integer.getInteger("forebay.flips", 500);
    private static final int CHUNKS = 250;
    private static final int LENGTH = 100_000;
    private static final long FAST = 1L << 50;

    @TempDir private Path directory;
    private ChunkStore store;

    @BeforeEach
    void open() {
        store =
                ChunkStore.open(
                        List.of(directory.resolve("a"), directory.resolve("b")),
                        new StoreLimits(1L << 30, 10_000),
                        _ -> false);
        for (int i = 0; i < CHUNKS; i++) {
            put(chunk(i));
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static ChunkId chunk(int number) {
        return new ChunkId(PackId.parse(Integer.toString(number % 9).repeat(64)), number);
    }

    private void put(ChunkId chunk) {
        byte[] bytes = new byte[LENGTH];
        new Random(chunk.index()).nextBytes(bytes);
        store.put(chunk, ByteBuffer.wrap(bytes), ValidBlocks.all(LENGTH));
    }

    private Scrubber scrubber(List<ChunkId> repaired, long bytesPerSecond, Duration pause) {
        return scrubber(
                chunk -> {
                    repaired.add(chunk);
                    put(chunk);
                },
                bytesPerSecond,
                pause);
    }

    private Scrubber scrubber(Consumer<ChunkId> repair, long bytesPerSecond, Duration pause) {
        return new Scrubber(store, repair, directory.resolve("scrub"), bytesPerSecond, pause);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".last")).toList();
        }
    }

    private static void flip(Path file, Random random) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            long at = random.nextLong(bytes.length());
            bytes.seek(at);
            int was = bytes.read();
            bytes.seek(at);
            bytes.write(was ^ 1 << random.nextInt(8));
        }
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void aScrubFindsAndRepairsEveryFlippedBit() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int flipped = 0; flipped < FLIPS; flipped += CHUNKS) {
            List<Path> files = files();
            assertThat(files).hasSize(CHUNKS);
            for (Path file : files) {
                flip(file, random);
            }
            List<ChunkId> repaired = new ArrayList<>();
            try (Scrubber scrubber = scrubber(repaired, FAST, Duration.ofHours(1))) {
                assertThat(scrubber.round(null)).isTrue();
                assertThat(scrubber.rounds()).isEqualTo(1);
                assertThat(scrubber.bytes()).isEqualTo((long) CHUNKS * LENGTH);
            }
            assertThat(repaired).as("seed %d", seed).hasSize(CHUNKS).doesNotHaveDuplicates();
        }
        List<ChunkId> repaired = new ArrayList<>();
        try (Scrubber scrubber = scrubber(repaired, FAST, Duration.ofHours(1))) {
            assertThat(scrubber.round(null)).isTrue();
        }
        assertThat(repaired).as("damage after the repair").isEmpty();
    }

    @Test
    void aFailedRepairDoesNotEndTheRound() throws IOException {
        for (Path file : files()) {
            flip(file, new Random(2));
        }
        AtomicInteger asked = new AtomicInteger();
        Consumer<ChunkId> repair =
                chunk -> {
                    switch (asked.incrementAndGet()) {
                        case 1 -> throw new IllegalStateException("a defect");
                        case 2 -> throw new InternalError("simulated");
                        default -> put(chunk);
                    }
                };
        try (Scrubber scrubber = scrubber(repair, FAST, Duration.ofHours(1))) {
            assertThat(scrubber.round(null)).isTrue();
            assertThat(scrubber.rounds()).isEqualTo(1);
        }
        assertThat(asked).hasValue(CHUNKS);
        assertThat(files()).hasSize(CHUNKS - 2);
    }

    @Test
    void aStoppedScrubResumesWhereItStopped() throws Exception {
        List<ChunkId> repaired = new ArrayList<>();
        for (Path file : files()) {
            flip(file, new Random(1));
        }
        Scrubber first = scrubber(repaired, 100L * LENGTH, Duration.ofMillis(1));
        first.start();
        while (first.bytes() < 50L * LENGTH) {
            Thread.onSpinWait();
        }
        first.close();
        int before = repaired.size();
        assertThat(before).isBetween(50, CHUNKS - 1);

        Set<ChunkId> seen = new HashSet<>(repaired);
        repaired.clear();
        try (Scrubber second = scrubber(repaired, FAST, Duration.ofHours(1))) {
            second.start();
            while (second.rounds() == 0) {
                Thread.onSpinWait();
            }
            assertThat(second.bytes()).isEqualTo((long) (CHUNKS - before) * LENGTH);
        }
        assertThat(repaired).hasSize(CHUNKS - before).doesNotContainAnyElementsOf(seen);
    }

    @Test
    void aScrubAfterACompleteRoundStartsWithTheFirstChunk() throws Exception {
        List<ChunkId> repaired = new ArrayList<>();
        ChunkId behind = chunk(CHUNKS / 2);
        try (Scrubber interrupted = scrubber(repaired, FAST, Duration.ofHours(1))) {
            assertThat(interrupted.round(behind)).isTrue();
        }
        for (Path file : files()) {
            flip(file, new Random(2));
        }

        try (Scrubber next = scrubber(repaired, FAST, Duration.ofMillis(1))) {
            next.start();
            while (next.rounds() == 0) {
                Thread.onSpinWait();
            }
        }

        assertThat(repaired).hasSize(CHUNKS);
    }
}
