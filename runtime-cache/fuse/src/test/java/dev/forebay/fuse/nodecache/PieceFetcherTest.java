package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PieceFetcherTest {

    private static final int FROM = 5000;
    private static final int BEFORE = 7;
    private static final int LENGTH = 100;

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(PackUnits.PAGES_OF_CHUNK, 17);

    @Test
    void fillsATargetBetweenItsPositionAndLimit() throws Exception {
        CacheCounters counters = new CacheCounters();
        CacheCapacity space = new CacheCapacity(1L << 30, counters);
        FullDisk full = new FullDisk(directory, space, counters, System::nanoTime);
        try (PackFile file =
                PackFile.create(
                        TestPack.ID,
                        pack.bytes.length,
                        directory.resolve("pack"),
                        directory.resolve("map"),
                        space,
                        counters,
                        new DamageLog(_ -> List.of()))) {
            PieceFetcher fetcher = new PieceFetcher(pack.source(), space, true, counters, full);
            Piece piece = new Piece(TestPack.ALL, file, FROM, FROM + LENGTH, pack);

            for (String from : List.of("the source", "the disk")) {
                ByteBuffer target = ByteBuffer.allocate(BEFORE + LENGTH + 1);
                target.position(BEFORE).limit(BEFORE + LENGTH);

                assertThat(fetcher.read(piece, target)).isTrue();

                byte[] right = new byte[BEFORE + LENGTH + 1];
                System.arraycopy(pack.bytes, FROM, right, BEFORE, LENGTH);
                assertThat(target.array()).as(from).isEqualTo(right);
                assertThat(target.position()).as(from).isEqualTo(BEFORE);
                assertThat(target.limit()).as(from).isEqualTo(BEFORE + LENGTH);
            }
        }
        assertThat(pack.asked).hasSize(1);
    }
}
