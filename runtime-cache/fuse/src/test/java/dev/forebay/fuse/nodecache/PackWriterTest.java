package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.chunkstore.StoreLimits;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.model.ChunkId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores pages into a block that is damaged on the disk. */
@SuppressWarnings("NullAway.Init") // made before each
class PackWriterTest {

    private static final long CAPACITY = 1L << 30;

    /** The damaged block, in the only chunk. */
    private static final int BLOCK = 5;

    private static final int FROM = BLOCK * PackUnits.BLOCK;
    private static final BitSet PAGES = PackUnits.pagesOf(FROM, FROM + PackUnits.BLOCK);

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(PackUnits.PAGES_OF_CHUNK, 13);
    private final byte[] right = Arrays.copyOfRange(pack.bytes, FROM, FROM + PackUnits.BLOCK);
    private PackFile file;

    @BeforeEach
    void storeAndDamage() throws IOException {
        CacheCounters counters = new CacheCounters();
        Path data = directory.resolve("pack");
        file =
                PackFile.create(
                        TestPack.ID,
                        pack.bytes.length,
                        data,
                        directory.resolve("map"),
                        new CacheCapacity(CAPACITY, counters),
                        counters,
                        new DamageLog(_ -> List.of()));
        file.writer().store(FROM, PAGES, bytes(FROM), null);
        damage(FROM);
    }

    private void damage(int at) throws IOException {
        try (RandomAccessFile disk = new RandomAccessFile(file.path().toFile(), "rw")) {
            disk.seek(at);
            disk.write(pack.bytes[at] ^ 1);
        }
    }

    @AfterEach
    void close() {
        file.close();
    }

    private ByteBuffer bytes(int from) {
        return ByteBuffer.allocateDirect(PackUnits.BLOCK)
                .put(pack.bytes, from, PackUnits.BLOCK)
                .flip();
    }

    /** Drops the damaged block, and fails to store it again from the worker's copy. */
    private void failToMend() throws IOException {
        BitSet dropped = file.reader().scrub(0);
        assertThat(dropped.stream()).containsExactly(BLOCK);
        StoredChunk lost = lostChunk();
        assertThatThrownBy(() -> file.writer().store(FROM, PAGES, bytes(FROM), lost))
                .isInstanceOf(ClosedChannelException.class);
    }

    /** Returns a chunk of a worker on this node that is not readable any more. */
    private StoredChunk lostChunk() {
        Path store = directory.resolve("worker");
        ChunkId id = new ChunkId(TestPack.ID, 0);
        try (ChunkStore worker =
                ChunkStore.open(List.of(store), new StoreLimits(CAPACITY, 1_000), _ -> false)) {
            worker.put(id, ByteBuffer.wrap(pack.bytes), ValidBlocks.all(pack.bytes.length));
        }
        StoredChunk chunk = new NeighbourStore(List.of(store)).find(id).orElseThrow();
        chunk.close();
        return chunk;
    }

    private byte[] read(FileChannel channel) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(PackUnits.BLOCK);
        assertThat(channel.read(block, FROM)).isEqualTo(PackUnits.BLOCK);
        return block.array();
    }

    /**
     * Guards against worse damage: a native view would show 64 KiB of zeros instead of one wrong
     * bit.
     */
    @Test
    void aFailedRepairKeepsTheBytesOfAnOpenFile() throws IOException {
        try (FileChannel kernel = FileChannel.open(file.path())) {
            byte[] before = read(kernel);
            assertThat(Arrays.mismatch(before, right)).isZero();

            failToMend();

            assertThat(read(kernel)).isEqualTo(before);
        }
    }

    /** The pack may be mounted, and read directly, from the next moment on. */
    @Test
    void aFailedRepairKeepsTheBytesOfAHeldPack() throws IOException {
        byte[] before = readPastThePod();
        try (HeldPacks _ = new HeldPacks(TestPack.ALL, List.of(file))) {
            failToMend();
        }
        assertThat(readPastThePod()).isEqualTo(before);
    }

    private byte[] readPastThePod() throws IOException {
        try (FileChannel disk = FileChannel.open(file.path())) {
            return read(disk);
        }
    }

    /** A native view may have shown the damage, and must be replaced. */
    @Test
    void aDamagedPageFoundByAStoreIntoItsBlockCountsAsALoss() throws IOException {
        int from = FROM + PackUnits.BLOCK;
        BitSet first = PackUnits.pagesOf(from, from + PackUnits.PAGE);
        BitSet second = PackUnits.pagesOf(from + PackUnits.PAGE, from + 2 * PackUnits.PAGE);
        file.writer().store(from, first, bytes(from), null);
        damage(from);
        long before = file.holds().losses();

        file.writer().store(from, second, bytes(from), null);

        assertThat(file.holds().losses()).isGreaterThan(before);
        assertThat(file.chunks().missing(0, first)).isEqualTo(first);
        assertThat(file.chunks().missing(0, second).isEmpty()).isTrue();
    }

    @Test
    void aFailedRepairFreesABlockThatNoReaderHasOpen() throws IOException {
        failToMend();

        assertThat(readPastThePod()).containsOnly(0);
    }
}
