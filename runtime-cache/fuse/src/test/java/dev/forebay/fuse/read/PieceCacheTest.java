package dev.forebay.fuse.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PieceCacheTest {

    private static final Digest MANIFEST = new Digest("b".repeat(64));
    private static final PackId PACK = PackId.parse("a".repeat(64));

    private int given;

    /** As a JVM does whose limit is lower. */
    private ByteBuffer slab(int most) {
        if (given == most) {
            throw new OutOfMemoryError("Cannot reserve more");
        }
        given++;
        return ByteBuffer.allocate(PieceKey.BYTES);
    }

    private static void reads(PieceCache cache, int piece) {
        cache.read(
                PieceKey.at(MANIFEST, PACK, (long) piece * PieceKey.BYTES),
                slab -> slab.put((byte) piece),
                bytes -> assertThat(bytes.get(0)).isEqualTo((byte) piece));
    }

    @Test
    void makesDoWithTheMemoryThatTheJvmGives() {
        PieceCache cache = new PieceCache(16L * PieceKey.BYTES, () -> {}, () -> slab(5));
        for (int i = 0; i < 40; i++) {
            reads(cache, i % 9);
        }
        assertThat(cache.allocatedBytes()).isEqualTo(5L * PieceKey.BYTES);
    }

    @Test
    void saysWhatToDoIfThereIsNone() {
        PieceCache cache = new PieceCache(16L * PieceKey.BYTES, () -> {}, () -> slab(0));
        assertThatThrownBy(() -> reads(cache, 1))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("-XX:MaxDirectMemorySize");
    }
}
