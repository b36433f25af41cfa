package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.chunkstore.StoreLimits;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.devstack.tool.Toolbox;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.model.ChunkId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a node that also runs a worker, bytes in the worker's files are not fetched. */
class PackCacheBesideWorkerTest {

    private static final int CHUNKS = 3;
    private static final long CAPACITY = 1L << 30;

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(CHUNKS * PackUnits.PAGES_OF_CHUNK - 5, 11);

    /** Puts the first chunks of the pack into a worker's store, and closes it. */
    private void fill(Path store, int chunks) {
        try (ChunkStore worker =
                ChunkStore.open(List.of(store), new StoreLimits(CAPACITY, 1_000), _ -> false)) {
            for (int index = 0; index < chunks; index++) {
                ChunkId id = new ChunkId(TestPack.ID, index);
                int length = id.length(pack.bytes.length);
                worker.put(
                        id,
                        ByteBuffer.wrap(pack.bytes, (int) id.start(), length).slice(),
                        ValidBlocks.all(length));
            }
        }
    }

    private static Path chunkFile(Path store, int index) {
        String hex = TestPack.ID.digest().hex();
        return store.resolve(
                "chunks/%s/%s/%d%s"
                        .formatted(
                                hex.substring(0, 2),
                                hex,
                                index,
                                index == CHUNKS - 1 ? ".last" : ""));
    }

    private PackCache open(Path parent) {
        LocalChunks chunks =
                new LocalChunks(
                        new NeighbourStore(
                                List.of(parent.resolve("none"), parent.resolve("worker"))),
                        pack);
        return PackCache.open(parent.resolve("packs"), CAPACITY, true, chunks, pack);
    }

    private void completeAll(PackCache cache) throws InterruptedException {
        for (int index = 0; index < CHUNKS; index++) {
            assertThat(
                            cache.complete(
                                    TestPack.ALL,
                                    new ChunkId(TestPack.ID, index),
                                    new ByteRateLimit(Long.MAX_VALUE)))
                    .isTrue();
        }
    }

    @Test
    void readsUseTheWorkersFilesWithoutStoringThem() {
        fill(directory.resolve("worker"), CHUNKS - 1);
        try (PackCache cache = open(directory)) {
            pack.assertReadsAll(cache, TestPack.ALL);
            long missing = pack.bytes.length - (CHUNKS - 1L) * PackUnits.CHUNK;
            assertThat(pack.takeAskedBytes()).isEqualTo(missing);
            assertThat(cache.counters().storedBytes()).isEqualTo(missing);
        }
    }

    @Test
    void readsFetchADamagedPieceOfTheWorkersFiles() throws IOException {
        fill(directory.resolve("worker"), CHUNKS);
        try (FileChannel file =
                FileChannel.open(
                        chunkFile(directory.resolve("worker"), 1), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 70_000);
        }
        try (PackCache cache = open(directory)) {
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(pack.takeAskedBytes()).isEqualTo(PackUnits.PIECE);
        }
    }

    @Test
    void aCompleteVersionHasCopiesOfTheWorkersFiles() throws Exception {
        fill(directory.resolve("worker"), CHUNKS);
        try (PackCache cache = open(directory)) {
            completeAll(cache);
            for (int index = 0; index < CHUNKS; index++) {
                Files.delete(chunkFile(directory.resolve("worker"), index));
            }
            pack.assertReadsAll(cache, TestPack.ALL);
            assertThat(pack.takeAskedBytes()).isZero();
        }
        assertThat(Files.readAllBytes(directory.resolve("packs/" + TestPack.ID + ".pack")))
                .isEqualTo(pack.bytes);
    }

    /** Uses btrfs on a loop device. Needs permission to mount. */
    @Test
    void copiesOfTheWorkersFilesShareBlocksOnBtrfs() throws Exception {
        Path image = directory.resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(256L << 20);
        }
        Path disk = Files.createDirectory(directory.resolve("disk"));
        run(Toolbox.ofThisMachine().mkfsBtrfs().toString(), "--quiet", image.toString());
        assumeTrue(
                run("mount", "-o", "loop", image.toString(), disk.toString()) == 0,
                "cannot mount a btrfs here");
        try {
            fill(disk.resolve("worker"), CHUNKS);
            try (PackCache cache = open(disk)) {
                long before = freeBytes(disk);
                completeAll(cache);
                assertThat(before - freeBytes(disk)).isLessThan(1 << 20);
                pack.assertReadsAll(cache, TestPack.ALL);
                assertThat(cache.counters().hitBytes()).isEqualTo(pack.bytes.length);
            }
            assertThat(pack.takeAskedBytes()).isZero();
        } finally {
            assertThat(run("umount", "-l", disk.toString())).isZero();
        }
    }

    private static long freeBytes(Path disk) throws Exception {
        assertThat(run("sync", "--file-system", disk.toString())).isZero();
        return Files.getFileStore(disk).getUnallocatedSpace();
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }
}
