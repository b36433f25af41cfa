package dev.forebay.chunkstore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.chunkstore.file.ValidBlocks;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import org.junit.jupiter.api.Test;

class ChunkTableTest {

    private static final PackId ONE = PackId.parse("1".repeat(64));
    private static final PackId OTHER = PackId.parse("2".repeat(64));

    private final ChunkTable table = new ChunkTable();

    @Test
    void allPacksReturnsWhetherEveryPackMatches() {
        assertThat(table.allPacks(_ -> false)).isTrue();
        var _ = table.put(new ChunkId(ONE, 3), ValidBlocks.all(1));
        ChunkEntry last = table.put(new ChunkId(OTHER, 0), ValidBlocks.all(1));

        assertThat(table.allPacks(_ -> true)).isTrue();
        assertThat(table.allPacks(ONE::equals)).isFalse();
        assertThat(table.remove(last)).isTrue();
        assertThat(table.allPacks(ONE::equals)).isTrue();
    }
}
