package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackEvictorTest {

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(PackUnits.PAGES_OF_CHUNK, 23);
    private final BitSet pages = PackUnits.pagesOf(0, PackUnits.BLOCK);
    private final CacheCounters counters = new CacheCounters();
    private final CacheCapacity space = new CacheCapacity(1L << 30, counters);

    /** Two threads that need space chose the same chunk, and it was fetched again in between. */
    @Test
    void evictIgnoresAChunkThatWasStoredAgainMeanwhile() throws IOException {
        try (PackFile file = create()) {
            store(file);
            CachedChunk chosen = Objects.requireNonNull(file.chunks().find(0));
            assertThat(file.evictor().evict(chosen)).isPositive();
            assertThat(space.used()).isZero();
            store(file);
            long used = space.used();
            assertThat(file.evictor().evict(chosen)).isZero();
            assertThat(space.used()).isEqualTo(used).isPositive();
            // A part of a block, which is not verified.
            ByteBuffer page = ByteBuffer.allocateDirect(PackUnits.PAGE);
            assertThat(file.reader().read(0, PackUnits.pagesOf(0, PackUnits.PAGE), page, false))
                    .isTrue();
            byte[] read = new byte[PackUnits.PAGE];
            page.get(0, read);
            assertThat(read).isEqualTo(Arrays.copyOf(pack.bytes, PackUnits.PAGE));
        }
    }

    @Test
    void pagesOfNoVersionStayWhileAReaderHasTheFileOpen() throws IOException {
        try (PackFile file = create()) {
            store(file);
            try (InputStream _ = Files.newInputStream(directory.resolve("pack"))) {
                assertThat(restrictToNothing(file)).isZero();
                assertThat(file.chunks().pages(0)).isEqualTo(pages);
            }
            assertThat(restrictToNothing(file)).isPositive();
            assertThat(file.chunks().isEmpty()).isTrue();
        }
    }

    private static long restrictToNothing(PackFile file) throws IOException {
        return file.evictor().restrict(0, new BitSet(), Set.of(), Set::of);
    }

    private PackFile create() throws IOException {
        return PackFile.create(
                TestPack.ID,
                pack.bytes.length,
                directory.resolve("pack"),
                directory.resolve("map"),
                space,
                counters,
                new DamageLog(_ -> List.of()));
    }

    private void store(PackFile file) throws IOException {
        ByteBuffer block =
                ByteBuffer.allocateDirect(PackUnits.BLOCK).put(pack.bytes, 0, PackUnits.BLOCK);
        file.writer().store(0, pages, block.flip(), null);
    }
}
