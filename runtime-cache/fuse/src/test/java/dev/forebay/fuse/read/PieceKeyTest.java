package dev.forebay.fuse.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import org.junit.jupiter.api.Test;

class PieceKeyTest {
    private static final Digest DIGEST = new Digest("ab".repeat(32));
    private static final PackId PACK = new PackId(DIGEST);

    @Test
    void aPieceBeginsAtAMultipleOfItsLength() {
        assertThat(PieceKey.at(DIGEST, PACK, PieceKey.BYTES - 1L).start()).isZero();
        assertThat(PieceKey.at(DIGEST, PACK, 3L * PieceKey.BYTES + 7).start())
                .isEqualTo(3L * PieceKey.BYTES);
    }

    @Test
    void theLastPieceEndsWithItsPack() {
        long packBytes = 2L * PieceKey.BYTES + 5;

        assertThat(PieceKey.at(DIGEST, PACK, PieceKey.BYTES).end(packBytes))
                .isEqualTo(2L * PieceKey.BYTES);
        assertThat(PieceKey.at(DIGEST, PACK, packBytes - 1).end(packBytes)).isEqualTo(packBytes);
    }
}
