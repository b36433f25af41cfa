package dev.forebay.chunkstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.chunkstore.file.ChunkName;
import dev.forebay.chunkstore.file.ChunkRange;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChunkStoreTest {

    private static final PackId PACK = PackId.parse("ab".repeat(32));
    private static final PackId OTHER = PackId.parse("cd".repeat(32));
    private static final int SMALL = 160 << 10;
    private static final long ENOUGH_BYTES = 1L << 30;
    private static final long FILES = 100_000;

    @TempDir Path directory;

    private final Set<PackId> protectedPacks = ConcurrentHashMap.newKeySet();
    private ChunkStore store;

    @BeforeEach
    void open() {
        store = open(ENOUGH_BYTES, FILES);
    }

    private ChunkStore open(long bytes, long files) {
        return ChunkStore.open(
                List.of(directory), new StoreLimits(bytes, files), protectedPacks::contains);
    }

    private void reopen(long capacity) {
        reopen(capacity, FILES);
    }

    private void reopen(long capacity, long files) {
        store.close();
        store = open(capacity, files);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static ChunkId chunk(int index) {
        return new ChunkId(PACK, index);
    }

    private static byte[] bytes(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private void put(ChunkId id, byte[] data, ChunkRange... ranges) {
        store.put(id, ByteBuffer.wrap(data), ValidBlocks.of(data.length, List.of(ranges)));
    }

    private void putAll(ChunkId id, byte[] data) {
        store.put(id, ByteBuffer.wrap(data), ValidBlocks.all(data.length));
    }

    private byte[] read(ChunkId id, int from, int to) {
        try (StoredChunk chunk = store.find(id).orElseThrow()) {
            return read(chunk, from, to);
        }
    }

    private static byte[] read(StoredChunk chunk, int from, int to) {
        ByteBuffer target = ByteBuffer.allocate(to - from);
        chunk.readVerified(from, target);
        return target.array();
    }

    private List<Path> chunkFiles() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("chunks"))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private Path fileOf(ChunkId id) {
        return ChunkName.all(id.index()).stream()
                .map(name -> directoryOf(id).resolve(name.toString()))
                .filter(Files::exists)
                .findAny()
                .orElseThrow();
    }

    private Path fileOf(ChunkId id, boolean last, boolean complete) {
        return directoryOf(id).resolve(new ChunkName(id.index(), last, complete).toString());
    }

    private Path directoryOf(ChunkId id) {
        return directory
                .resolve("chunks")
                .resolve(id.pack().toString().substring(0, 2))
                .resolve(id.pack().toString());
    }

    @Test
    void findReturnsTheBytesAndChecksumsOfAChunk() {
        byte[] data = bytes(1, ChunkId.CHUNK_BYTES);
        ByteBuffer buffer = ByteBuffer.wrap(data);
        store.put(chunk(3), buffer, ValidBlocks.all(data.length));
        assertThat(buffer.position()).isZero();
        try (StoredChunk chunk = store.find(chunk(3)).orElseThrow()) {
            assertThat(chunk.length()).isEqualTo(data.length);
            assertThat(chunk.holds(0, data.length)).isTrue();
            assertThat(read(chunk, 0, data.length)).isEqualTo(data);
            assertThat(read(chunk, 70_001, 200_003))
                    .isEqualTo(Arrays.copyOfRange(data, 70_001, 200_003));
            CRC32C crc = new CRC32C();
            crc.update(data, 2 << 16, 1 << 16);
            byte[] checksums = chunk.checksums(2 << 16, 4 << 16);
            assertThat(checksums).hasSize(8);
            assertThat(ByteBuffer.wrap(checksums).getInt()).isEqualTo((int) crc.getValue());
            assertThat(chunk.checksums(0, data.length)).hasSize(4 * 128);
            assertThatThrownBy(() -> chunk.checksums(1, 1 << 16))
                    .isInstanceOf(ForebayException.class);
        }
        assertThat(store.find(chunk(4))).isEmpty();
        assertThat(store.stats().hits()).isEqualTo(1);
        assertThat(store.stats().misses()).isEqualTo(1);
    }

    @Test
    void theStoreReusesDirectMemory() {
        byte[] data = bytes(1, SMALL);
        useOnce(data);
        long before = directBytes();
        for (int i = 0; i < 200; i++) {
            useOnce(data);
        }
        assertThat(directBytes() - before).isLessThan(1 << 20);
    }

    /** Writes a part of a chunk, extends it, reads it and checks its checksums. */
    private void useOnce(byte[] data) {
        put(chunk(0), data, new ChunkRange(0, 4096));
        put(chunk(0), data, new ChunkRange(8192, 12_288));
        assertThat(read(chunk(0), 0, 4096)).isEqualTo(Arrays.copyOf(data, 4096));
        assertThat(store.verify(chunk(0))).isEqualTo(ChunkStore.Verdict.INTACT);
        assertThat(store.drop(chunk(0))).isNotEqualTo(Dropped.NONE);
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getTotalCapacity)
                .sum();
    }

    @Test
    void theStoreHoldsOnlyValidBlocksAndReturnsZerosElsewhere() {
        byte[] data = bytes(1, SMALL);
        put(chunk(0), data, new ChunkRange(4096, 5000), new ChunkRange(65536, 65536 + 4096));
        assertThat(store.holds(chunk(0), 4096, 8192)).isTrue();
        assertThat(store.holds(chunk(0), 4096, 8193)).isFalse();
        assertThat(store.holds(chunk(0), 4095, 8192)).isFalse();
        assertThat(store.holds(chunk(0), 0, SMALL)).isFalse();
        assertThat(store.holds(chunk(0), 0, SMALL + 1)).isFalse();
        assertThat(store.holds(chunk(1), 0, 0)).isFalse();
        assertThat(read(chunk(0), 0, 4096)).containsOnly(0);
        assertThat(read(chunk(0), 4096, 8192)).isEqualTo(Arrays.copyOfRange(data, 4096, 8192));
    }

    @Test
    void blocksWithoutValidBytesVerifyAsZeros() {
        byte[] data = bytes(1, SMALL);
        put(chunk(0), data, new ChunkRange(65536, 65536 + 4096));
        try (StoredChunk chunk = store.find(chunk(0)).orElseThrow()) {
            assertThat(read(chunk, 0, 65536)).containsOnly(0);
            assertThat(read(chunk, 2 * 65536, SMALL)).containsOnly(0);
        }
        // A block that is empty in the new bytes may have bytes in the previous file.
        put(chunk(0), data, new ChunkRange(0, 4096));
        assertThat(read(chunk(0), 0, 4096)).isEqualTo(Arrays.copyOf(data, 4096));
        assertThat(read(chunk(0), 65536, 65536 + 4096))
                .isEqualTo(Arrays.copyOfRange(data, 65536, 65536 + 4096));
        assertThat(store.verify(chunk(0))).isEqualTo(ChunkStore.Verdict.INTACT);
    }

    @Test
    void anExtensionKeepsTheStoredBytes() {
        byte[] data = bytes(1, SMALL);
        byte[] noise = bytes(2, SMALL);
        byte[] first = noise.clone();
        System.arraycopy(data, 0, first, 0, 20480);
        put(chunk(0), first, new ChunkRange(0, 20480));
        byte[] second = noise.clone();
        System.arraycopy(data, 16384, second, 16384, SMALL - 16384 - 8192);
        put(chunk(0), second, new ChunkRange(16384, SMALL - 8192));
        assertThat(store.holds(chunk(0), 0, SMALL - 8192)).isTrue();
        assertThat(store.holds(chunk(0), SMALL - 8192, SMALL)).isFalse();
        assertThat(read(chunk(0), 0, SMALL - 8192)).isEqualTo(Arrays.copyOf(data, SMALL - 8192));
        assertThat(store.stats().chunks()).isEqualTo(1);
        assertThat(store.stats().usedBytes()).isEqualTo(ChunkEntry.footprint(SMALL));

        long written = store.stats().written();
        put(chunk(0), noise, new ChunkRange(8192, 16384));
        assertThat(store.stats().written()).as("nothing new, nothing written").isEqualTo(written);
        reopen(ENOUGH_BYTES);
        assertThat(read(chunk(0), 0, SMALL - 8192)).isEqualTo(Arrays.copyOf(data, SMALL - 8192));
    }

    @Test
    void anExtensionLeavesOutDamagedBlocks() throws IOException {
        byte[] data = bytes(1, SMALL);
        put(chunk(0), data, new ChunkRange(0, 4096), new ChunkRange(65536, 69632));
        flip(fileOf(chunk(0)), 100);
        put(chunk(0), data, new ChunkRange(8192, 12288));
        assertThat(store.holds(chunk(0), 0, 1)).isFalse();
        assertThat(store.holds(chunk(0), 8192, 12288)).isTrue();
        assertThat(store.holds(chunk(0), 65536, 69632)).isTrue();
        assertThat(store.stats().damaged()).isEqualTo(1);
        assertThat(store.verify(chunk(0))).isEqualTo(ChunkStore.Verdict.INTACT);
    }

    @Test
    void concurrentVerificationsCountDamageOnce() throws Exception {
        byte[] data = bytes(1, SMALL);
        for (int round = 1; round <= 50; round++) {
            put(chunk(0), data, new ChunkRange(0, SMALL));
            flip(fileOf(chunk(0)), 100);
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                threads.invokeAll(Collections.nCopies(4, () -> store.verify(chunk(0))));
            }
            assertThat(store.stats().damaged()).isEqualTo(round);
        }
    }

    private static void flip(Path file, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 4;
        Files.write(file, bytes);
    }

    @Test
    void anOpenChunkStaysReadableAfterItIsReplacedOrDropped() {
        byte[] data = bytes(1, SMALL);
        put(chunk(0), data, new ChunkRange(0, 4096));
        try (StoredChunk before = store.find(chunk(0)).orElseThrow()) {
            put(chunk(0), data, new ChunkRange(4096, 8192));
            assertThat(before.holds(0, 8192)).isFalse();
            assertThat(read(before, 0, 4096)).isEqualTo(Arrays.copyOf(data, 4096));
            store.drop(chunk(0));
            assertThat(read(before, 0, 4096)).isEqualTo(Arrays.copyOf(data, 4096));
            assertThat(store.find(chunk(0))).isEmpty();
        }
    }

    @Test
    void theStoreEvictsOnlyUnprotectedChunks() {
        long each = ChunkEntry.footprint(SMALL);
        reopen(4 * each);
        protectedPacks.add(OTHER);
        putAll(new ChunkId(OTHER, 0), bytes(9, SMALL));
        putAll(new ChunkId(OTHER, 1), bytes(9, SMALL));
        for (int i = 0; i < 10; i++) {
            putAll(chunk(i), bytes(i, SMALL));
            // Readers use the others more often, so only the protection keeps these chunks.
            for (int use = 0; use < 5; use++) {
                store.find(chunk(i)).orElseThrow().close();
            }
        }
        assertThat(store.stats().chunks()).isEqualTo(4);
        assertThat(store.stats().evicted()).isEqualTo(8);
        assertThat(store.stats().usedBytes()).isEqualTo(4 * each);
        assertThat(store.holds(new ChunkId(OTHER, 0), 0, SMALL)).isTrue();
        assertThat(store.holds(new ChunkId(OTHER, 1), 0, SMALL)).isTrue();
        protectedPacks.add(PACK);
        assertThatThrownBy(() -> putAll(chunk(99), bytes(99, SMALL)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
        assertThat(store.stats().usedBytes()).isEqualTo(4 * each);
        protectedPacks.remove(PACK);
        putAll(chunk(99), bytes(99, SMALL));
    }

    @Test
    void droppingAPackFreesItsFootprint() {
        putAll(chunk(0), bytes(0, SMALL));
        putAll(chunk(1), bytes(1, SMALL));
        putAll(new ChunkId(OTHER, 0), bytes(2, SMALL));

        assertThat(store.footprint(PACK)).isEqualTo(2 * ChunkEntry.footprint(SMALL));
        assertThat(store.footprint(PACK) + store.footprint(OTHER))
                .isEqualTo(store.stats().usedBytes());
        store.chunks(PACK).forEach(store::drop);
        assertThat(store.footprint(PACK)).isZero();
        assertThat(store.footprint(OTHER)).isEqualTo(store.stats().usedBytes());
    }

    @Test
    void dropsLeaveNoFileAndNoDirectory() throws IOException {
        for (int i = 0; i < 3; i++) {
            putAll(chunk(i), bytes(i, SMALL));
            putAll(new ChunkId(OTHER, i), bytes(i, SMALL));
        }
        assertThat(store.drop(chunk(1))).isEqualTo(new Dropped(1, SMALL));
        assertThat(store.drop(chunk(1))).isEqualTo(Dropped.NONE);
        store.chunks(PACK).forEach(store::drop);
        assertThat(store.packs()).containsExactly(OTHER);
        assertThat(store.chunks(OTHER)).hasSize(3);
        store.chunks(OTHER).forEach(store::drop);
        assertThat(directory.resolve("chunks")).isEmptyDirectory();
        assertThat(directory.resolve("incoming")).isEmptyDirectory();
        assertThat(store.stats().usedBytes()).isZero();
    }

    @Test
    void anExtensionDoesNotRestoreBytesDroppedMeanwhile() throws Exception {
        byte[] data = bytes(1, SMALL);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (int round = 0; round < 500; round++) {
                put(chunk(0), data, new ChunkRange(0, SMALL / 2));
                CyclicBarrier start = new CyclicBarrier(2);
                Future<?> extension =
                        threads.submit(
                                () -> {
                                    start.await();
                                    put(chunk(0), data, new ChunkRange(SMALL / 2, SMALL));
                                    return null;
                                });
                start.await();
                assertThat(store.drop(chunk(0)).chunks()).isEqualTo(1);
                extension.get();
                assertThat(store.holds(chunk(0), 0, 4096)).as("round %d", round).isFalse();
                store.drop(chunk(0));
            }
        }
        assertThat(store.stats().usedBytes()).isZero();
        assertThat(chunkFiles()).isEmpty();
    }

    @Test
    void aRestartKeepsChunksAndRemovesInvalidFiles() throws IOException {
        for (int i = 0; i < 50; i++) {
            putAll(chunk(i), bytes(i, SMALL));
        }
        long used = store.stats().usedBytes();
        Files.write(directory.resolve("incoming/7.chunk"), new byte[100]);
        Files.write(fileOf(chunk(1000), false, true), new byte[100]);
        Files.write(fileOf(chunk(1001), false, false), new byte[0]);
        Files.write(fileOf(chunk(1003), true, true), new byte[0]);
        Files.copy(fileOf(chunk(5)), fileOf(chunk(1002), true, true));
        Files.copy(fileOf(chunk(5)), fileOf(chunk(5), true, false));
        Files.copy(fileOf(chunk(5)), fileOf(chunk(5), false, false));
        Files.copy(fileOf(chunk(6)), fileOf(chunk(1004), false, true));
        Files.writeString(directory.resolve("id"), "worker-1");
        Files.writeString(fileOf(chunk(0)).resolveSibling("note.txt"), "not ours");
        reopen(ENOUGH_BYTES);
        for (int i = 1000; i < 1005; i++) {
            assertThat(store.find(chunk(i))).isEmpty();
        }
        assertThat(store.stats().chunks()).isEqualTo(50);
        assertThat(store.stats().usedBytes()).isEqualTo(used);
        assertThat(store.stats().damaged()).isEqualTo(6);
        assertThat(chunkFiles()).hasSize(51);
        assertThat(directory.resolve("incoming")).isEmptyDirectory();
        assertThat(directory.resolve("id")).exists();
        for (int i = 0; i < 50; i++) {
            assertThat(read(chunk(i), 0, SMALL)).isEqualTo(bytes(i, SMALL));
        }
    }

    @Test
    void aRestartKeepsIncompleteChunks() throws IOException {
        byte[] data = bytes(1, SMALL);
        put(chunk(0), data, new ChunkRange(8192, 12288), new ChunkRange(65536, SMALL));
        putAll(chunk(1), data);
        reopen(ENOUGH_BYTES);
        assertThat(store.holds(chunk(0), 8192, 12288)).isTrue();
        assertThat(store.holds(chunk(0), 8192, 12289)).isFalse();
        assertThat(store.holds(chunk(0), 65536, SMALL)).isTrue();
        assertThat(store.holds(chunk(0), 0, 1)).isFalse();
        assertThat(store.holds(chunk(1), 0, SMALL)).isTrue();
        put(chunk(0), data, new ChunkRange(0, 65536));
        assertThat(chunkFiles()).as("the incomplete file is gone").hasSize(2);
        reopen(ENOUGH_BYTES);
        assertThat(store.holds(chunk(0), 0, SMALL)).isTrue();
        assertThat(store.stats().damaged()).isZero();
    }

    @Test
    void aRestartKeepsTheCompleteOneOfTwoFilesOfAChunk() throws IOException {
        byte[] data = bytes(1, SMALL);
        put(chunk(0), data, new ChunkRange(0, 4096));
        Path partial = fileOf(chunk(0));
        byte[] before = Files.readAllBytes(partial);
        putAll(chunk(0), data);
        Files.write(partial, before);
        reopen(ENOUGH_BYTES);
        assertThat(chunkFiles()).hasSize(1);
        assertThat(store.stats().usedBytes()).isEqualTo(ChunkEntry.footprint(SMALL));
        assertThat(read(chunk(0), 0, SMALL)).isEqualTo(data);
    }

    @Test
    void theStoreEvictsChunksAtTheFileLimit() throws IOException {
        reopen(ENOUGH_BYTES, 5);
        for (int i = 0; i < 20; i++) {
            putAll(chunk(i), bytes(i, 4096));
            put(chunk(i), bytes(i, 4096), new ChunkRange(0, 4096));
        }
        assertThat(store.stats().chunks()).isEqualTo(5);
        assertThat(chunkFiles()).hasSize(5);
        assertThat(store.stats().evicted()).isEqualTo(15);
    }

    @Test
    void aSmallerCapacityTakesEffectWithTheNextChunk() {
        for (int i = 0; i < 10; i++) {
            putAll(chunk(i), bytes(i, SMALL));
        }
        reopen(3 * ChunkEntry.footprint(SMALL));
        assertThat(store.stats().chunks()).isEqualTo(10);
        putAll(chunk(10), bytes(10, SMALL));
        assertThat(store.stats().chunks()).isEqualTo(3);
        assertThat(store.holds(chunk(10), 0, SMALL)).isTrue();
    }

    /** A region admits versions up to this capacity, and none of them may displace another. */
    @Test
    void theStoreKeepsAsManyWholeChunksAsItsCapacityPromises() {
        reopen(4L * ChunkId.CHUNK_BYTES);
        byte[] data = bytes(1, ChunkId.CHUNK_BYTES);
        long chunks = store.chunkCapacity() / ChunkId.CHUNK_BYTES;
        for (int i = 0; i < chunks; i++) {
            putAll(chunk(i), data);
        }
        // The footers take the space of the fourth.
        assertThat(chunks).isEqualTo(3);
        assertThat(store.stats().chunks()).isEqualTo(chunks);
        assertThat(store.stats().evicted()).isZero();
    }

    @Test
    void aMuchSmallerCapacityTakesEffectGradually() {
        for (int i = 0; i < 150; i++) {
            putAll(chunk(i), bytes(i, SMALL));
        }
        reopen(3 * ChunkEntry.footprint(SMALL));
        putAll(chunk(150), bytes(150, SMALL));
        assertThat(store.stats().chunks()).isEqualTo(150 - 64 + 1);
        putAll(chunk(151), bytes(151, SMALL));
        assertThat(store.stats().chunks()).isEqualTo(150 - 2 * 64 + 2);
        putAll(chunk(152), bytes(152, SMALL));
        assertThat(store.stats().chunks()).isEqualTo(3);
        assertThat(store.holds(chunk(152), 0, SMALL)).isTrue();
    }

    @Test
    void theStoreDetectsAFlippedBitAnywhereInAFile() throws IOException {
        byte[] data = bytes(1, 12288);
        put(chunk(0), data, new ChunkRange(0, 4096), new ChunkRange(8192, 12288));
        byte[] good = Files.readAllBytes(fileOf(chunk(0)));
        Path file = fileOf(chunk(0));
        for (int at = 0; at < good.length; at += at < 12200 ? 61 : 1) {
            byte[] bad = good.clone();
            bad[at] ^= (byte) (1 << at % 8);
            restartWith(file, bad);
            try (StoredChunk chunk = store.find(chunk(0)).orElse(null)) {
                if (chunk != null) {
                    assertThat(at).as("the footer is sound").isLessThan(12288);
                    assertThatThrownBy(() -> read(chunk, 0, 12288))
                            .isInstanceOfSatisfying(
                                    ForebayException.class,
                                    e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
                }
            }
            assertThat(store.verify(chunk(0))).isNotEqualTo(ChunkStore.Verdict.INTACT);
            assertThat(file).doesNotExist();
        }
    }

    @Test
    void theStoreRemovesATruncatedFileWhenItReadsIt() throws IOException {
        putAll(chunk(0), bytes(1, 8192));
        Path file = fileOf(chunk(0));
        byte[] good = Files.readAllBytes(file);
        for (int length = 0; length < good.length; length += length < 8000 ? 97 : 1) {
            restartWith(file, Arrays.copyOf(good, length));
            assertThat(store.find(chunk(0))).isEmpty();
            assertThat(file).doesNotExist();
        }
        restartWith(file, good);
        assertThat(store.verify(chunk(0))).isEqualTo(ChunkStore.Verdict.INTACT);
    }

    private void restartWith(Path file, byte[] content) throws IOException {
        store.close();
        Files.createDirectories(file.getParent());
        Files.write(file, content);
        open();
    }

    /**
     * A chunk without a file must not count as present: it would not be filled again until a read.
     */
    @Test
    void verifyDropsAChunkWhoseFileIsMissing() throws IOException {
        putAll(chunk(0), bytes(1, SMALL));
        Files.delete(fileOf(chunk(0)));
        assertThat(store.verify(chunk(0))).isEqualTo(ChunkStore.Verdict.DROPPED);
        assertThat(store.holds(chunk(0), 0, SMALL)).isFalse();
        assertThat(store.verify(chunk(0))).isEqualTo(ChunkStore.Verdict.ABSENT);
    }

    @Test
    void verifyDropsADamagedChunk() throws IOException {
        putAll(chunk(0), bytes(1, SMALL));
        assertThat(store.verify(chunk(0))).isEqualTo(ChunkStore.Verdict.INTACT);
        flip(fileOf(chunk(0)), 150_000);
        assertThat(store.verify(chunk(0))).isEqualTo(ChunkStore.Verdict.DROPPED);
        assertThat(store.verify(chunk(0))).isEqualTo(ChunkStore.Verdict.ABSENT);
        putAll(chunk(0), bytes(1, SMALL));
        Files.delete(fileOf(chunk(0)));
        assertThat(store.find(chunk(0))).isEmpty();
        assertThat(store.stats().usedBytes()).isZero();
    }

    @Test
    void aSecondStoreCannotOpenTheSameDirectory() {
        assertThatThrownBy(() -> open(ENOUGH_BYTES, FILES))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
        reopen(ENOUGH_BYTES);
    }

    @Test
    void anInterruptedThreadLosesNeitherAChunkNorTheDisk() throws Exception {
        putAll(chunk(0), bytes(1, SMALL));
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<ChunkStore.Verdict> verdict =
                    thread.submit(
                            () -> {
                                Thread.currentThread().interrupt();
                                putAll(chunk(1), bytes(1, SMALL));
                                return store.verify(chunk(0));
                            });
            assertThat(verdict.get()).isEqualTo(ChunkStore.Verdict.INTACT);
        }
        assertThat(store.verify(chunk(1))).isEqualTo(ChunkStore.Verdict.INTACT);
        assertThat(store.stats().failedDisks()).as("an interrupt is no disk failure").isZero();
    }

    @Test
    void concurrentThreadsReadOnlyCorrectBytes() throws Exception {
        long each = ChunkEntry.footprint(SMALL);
        reopen(12 * each);
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<?>> running =
                    IntStream.range(0, 8)
                            .<Future<?>>mapToObj(seed -> threads.submit(() -> hammer(seed)))
                            .toList();
            for (Future<?> running1 : running) {
                running1.get();
            }
        }
        ChunkStoreStats stats = store.stats();
        assertThat(stats.damaged()).isZero();
        assertThat(stats.diskErrors()).isZero();
        assertThat(stats.usedBytes())
                .isEqualTo(stats.chunks() * each)
                .isLessThanOrEqualTo(12 * each);
        Set<ChunkId> left = new HashSet<>();
        store.packs().forEach(pack -> left.addAll(store.chunks(pack)));
        assertThat(chunkFiles()).hasSize(left.size());
        assertThat(directory.resolve("incoming")).isEmptyDirectory();
        left.forEach(id -> assertThat(store.verify(id)).isEqualTo(ChunkStore.Verdict.INTACT));
    }

    private void hammer(int seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 400; i++) {
            ChunkId id = new ChunkId(random.nextBoolean() ? PACK : OTHER, random.nextInt(12));
            byte[] data = bytes(id.hashCode(), SMALL);
            switch (random.nextInt(6)) {
                case 0 -> store.drop(id);
                case 1 -> store.chunks(id.pack()).forEach(store::drop);
                case 2, 3 -> {
                    int from = random.nextInt(SMALL / 4096) * 4096;
                    put(id, data, new ChunkRange(from, from + random.nextInt(SMALL - from + 1)));
                }
                default -> {
                    try (StoredChunk chunk = store.find(id).orElse(null)) {
                        if (chunk == null) {
                            continue;
                        }
                        int from = random.nextInt(SMALL / 4096) * 4096;
                        byte[] read = read(chunk, from, from + 4096);
                        if (chunk.holds(from, from + 4096)) {
                            assertThat(read).isEqualTo(Arrays.copyOfRange(data, from, from + 4096));
                        } else {
                            assertThat(read).containsOnly(0);
                        }
                    }
                }
            }
        }
    }
}
