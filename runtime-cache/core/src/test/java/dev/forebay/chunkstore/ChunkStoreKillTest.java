package dev.forebay.chunkstore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.chunkstore.file.ChunkRange;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.devstack.fault.VictimProcess;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process that stores, extends, drops and evicts chunks, and checks the chunks that it
 * left.
 */
class ChunkStoreKillTest {

    private static final int KILLS = Integer.getInteger("forebay.kills", 4);
    private static final int THREADS = 4;
    private static final int CHUNKS = 40;
    private static final int PAGE = ChunkId.ALIGNMENT_BYTES;
    private static final StoreLimits LIMITS = new StoreLimits(160L << 20, 24);

    @TempDir private Path directory;

    private static ChunkStore open(Path directory) {
        return ChunkStore.open(
                List.of(directory.resolve("a"), directory.resolve("b")), LIMITS, _ -> false);
    }

    private static ChunkId chunk(int number) {
        return new ChunkId(PackId.parse(Integer.toString(number % 3).repeat(64)), number);
    }

    /** Returns the full length for some chunks, because their files have other names. */
    private static int length(ChunkId chunk) {
        return chunk.index() % 10 == 0 ? ChunkId.CHUNK_BYTES : 60 * PAGE - 7;
    }

    private static byte value(ChunkId chunk, int page) {
        return (byte) (31 * chunk.index() + page + 1);
    }

    private static void put(ChunkStore store, ChunkId chunk, int first, int end) {
        byte[] bytes = new byte[length(chunk)];
        for (int page = first; page < end; page++) {
            int from = Math.min(bytes.length, page * PAGE);
            Arrays.fill(bytes, from, Math.min(bytes.length, from + PAGE), value(chunk, page));
        }
        ChunkRange range =
                new ChunkRange(
                        Math.min(first * PAGE, bytes.length / PAGE * PAGE),
                        Math.min(end * PAGE, bytes.length));
        store.put(chunk, ByteBuffer.wrap(bytes), ValidBlocks.of(bytes.length, List.of(range)));
    }

    /** The process that is killed. */
    static final class Victim {
        public static void main(String[] arguments) {
            ChunkStore store = open(Path.of(arguments[0]));
            // The first write takes longest, because it links the system calls.
            put(store, chunk(1), 0, Math.ceilDiv(length(chunk(1)), PAGE));
            for (int thread = 0; thread < THREADS; thread++) {
                Random random = new Random(Long.parseLong(arguments[1]) + thread);
                Thread.ofPlatform().start(() -> work(store, random));
            }
            VictimProcess.ready();
        }

        private static void work(ChunkStore store, Random random) {
            while (true) {
                ChunkId chunk = chunk(random.nextInt(CHUNKS));
                int pages = Math.ceilDiv(length(chunk), PAGE);
                int first = random.nextInt(pages);
                switch (random.nextInt(5)) {
                    case 0 -> put(store, chunk, 0, pages);
                    case 1 -> store.drop(chunk);
                    default -> put(store, chunk, first, first + 1 + random.nextInt(pages - first));
                }
            }
        }
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void aKilledProcessLeavesOnlyIntactChunks() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < KILLS; round++) {
            VictimProcess.killAfter(
                    Duration.ofMillis(200 + random.nextInt(400)),
                    Victim.class,
                    directory.toString(),
                    Long.toString(random.nextLong()));
            try (ChunkStore store = open(directory)) {
                assertThat(store.stats().chunks()).as("seed %d", seed).isPositive();
                assertThat(store.stats().usedBytes()).isLessThanOrEqualTo(LIMITS.bytes());
                for (PackId pack : store.packs()) {
                    store.chunks(pack).forEach(chunk -> isRight(store, chunk));
                }
                assertThat(store.stats().damaged()).isZero();
                assertThat(files()).hasSize((int) store.stats().chunks());
            }
        }
    }

    private static void isRight(ChunkStore store, ChunkId id) {
        assertThat(store.verify(id)).isEqualTo(ChunkStore.Verdict.INTACT);
        try (StoredChunk chunk = store.find(id).orElseThrow()) {
            for (int page = 0; page * PAGE < chunk.length(); page++) {
                int from = page * PAGE;
                int to = Math.min(from + PAGE, chunk.length());
                assertThat(store.holds(id, from, to)).isEqualTo(chunk.holds(from, to));
                if (chunk.holds(from, to)) {
                    ByteBuffer target = ByteBuffer.allocate(to - from);
                    chunk.readVerified(from, target);
                    byte[] expected = new byte[to - from];
                    Arrays.fill(expected, value(id, page));
                    assertThat(target.array()).isEqualTo(expected);
                }
            }
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith("chunks.lock"))
                    .toList();
        }
    }
}
