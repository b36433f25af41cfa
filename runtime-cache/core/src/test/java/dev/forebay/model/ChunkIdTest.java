package dev.forebay.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ChunkIdTest {

    private static final PackId PACK = new PackId(new Digest("ab".repeat(32)));
    private static final long MOST = (Integer.MAX_VALUE + 1L) * ChunkId.CHUNK_BYTES;

    @Test
    void anOffsetBeyondTheLargestPackIsRefused() {
        assertThat(ChunkId.at(PACK, MOST - 1).index()).isEqualTo(Integer.MAX_VALUE);
        assertThatThrownBy(() -> ChunkId.at(PACK, MOST))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("offset " + MOST);
    }

    @Test
    void theLastChunkEndsWithItsPack() {
        long packBytes = 2L * ChunkId.CHUNK_BYTES + 5;

        assertThat(ChunkId.at(PACK, 0).length(packBytes)).isEqualTo(ChunkId.CHUNK_BYTES);
        assertThat(ChunkId.at(PACK, packBytes - 1).length(packBytes)).isEqualTo(5);
        assertThat(ChunkId.at(PACK, ChunkId.CHUNK_BYTES).length(2L * ChunkId.CHUNK_BYTES))
                .isEqualTo(ChunkId.CHUNK_BYTES);
    }
}
