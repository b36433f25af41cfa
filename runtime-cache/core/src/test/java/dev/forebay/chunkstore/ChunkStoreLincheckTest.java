package dev.forebay.chunkstore;

import dev.forebay.chunkstore.file.ChunkRange;
import dev.forebay.chunkstore.file.StoredChunk;
import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that a store is linearizable: concurrent calls have the results of some sequential order.
 * Lincheck generates the calls and searches for the order.
 */
@Tag("lincheck")
class ChunkStoreLincheckTest {

    private static final int SCENARIOS = Integer.getInteger("forebay.lincheck.scenarios", 5);
    private static final int PAGE = ChunkId.ALIGNMENT_BYTES;
    private static final int PAGES = 3;
    private static final PackId PACK = PackId.parse("ab".repeat(32));

    /** Far more than are in use at once, and far below the limit of open files of a process. */
    private static final int OPEN_STORES = 256;

    /**
     * Lincheck creates stores for its runs and for its search, and never reports that it is done
     * with one.
     */
    private static final Deque<ChunkStore> STORES = new ConcurrentLinkedDeque<>();

    @TempDir private static Path directory;

    @AfterAll
    static void close() {
        STORES.forEach(ChunkStore::close);
    }

    @Test
    void isLinearizable() {
        new StressOptions()
                .iterations(SCENARIOS)
                .invocationsPerIteration(50)
                .threads(3)
                .actorsPerThread(3)
                .check(Actors.class);
    }

    /** The operations on a store. Lincheck creates a new instance for each run. */
    @Param(name = "chunk", gen = IntGen.class, conf = "0:1")
    @Param(name = "page", gen = IntGen.class, conf = "0:2")
    public static class Actors {

        private final ChunkStore store;

        public Actors() throws IOException {
            Path own = Files.createTempDirectory(directory, "run");
            store =
                    ChunkStore.open(
                            List.of(own.resolve("a"), own.resolve("b")),
                            new StoreLimits(1 << 30, 100),
                            _ -> false);
            STORES.add(store);
            if (STORES.size() > OPEN_STORES) {
                STORES.remove().close();
            }
        }

        private static byte[] page(int chunk, int page) {
            byte[] bytes = new byte[PAGE];
            Arrays.fill(bytes, (byte) (10 * chunk + page + 1));
            return bytes;
        }

        @Operation
        public void put(@Param(name = "chunk") int chunk, @Param(name = "page") int page) {
            ByteBuffer bytes = ByteBuffer.allocate(PAGES * PAGE);
            bytes.put(page * PAGE, page(chunk, page));
            ChunkRange range = new ChunkRange(page * PAGE, (page + 1) * PAGE);
            store.put(
                    new ChunkId(PACK, chunk), bytes, ValidBlocks.of(PAGES * PAGE, List.of(range)));
        }

        @Operation
        public boolean holds(@Param(name = "chunk") int chunk, @Param(name = "page") int page) {
            return store.holds(new ChunkId(PACK, chunk), page * PAGE, (page + 1) * PAGE);
        }

        /** Returns the set of pages that a reader gets, as a bitmap. */
        @Operation
        public int read(@Param(name = "chunk") int chunk) {
            try (StoredChunk found = store.find(new ChunkId(PACK, chunk)).orElse(null)) {
                int pages = 0;
                for (int page = 0; found != null && page < PAGES; page++) {
                    if (found.holds(page * PAGE, (page + 1) * PAGE)) {
                        ByteBuffer target = ByteBuffer.allocate(PAGE);
                        found.readVerified(page * PAGE, target);
                        boolean right = Arrays.equals(target.array(), page(chunk, page));
                        pages += right ? 1 << page : 1000;
                    }
                }
                return pages;
            }
        }

        @Operation
        public ChunkStore.Verdict verify(@Param(name = "chunk") int chunk) {
            return store.verify(new ChunkId(PACK, chunk));
        }

        @Operation
        public long drop(@Param(name = "chunk") int chunk) {
            return store.drop(new ChunkId(PACK, chunk)).chunks();
        }
    }
}
