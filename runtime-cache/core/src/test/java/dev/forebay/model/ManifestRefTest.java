package dev.forebay.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ManifestRefTest {
    private static ManifestRef ref(long objects, long bytes, long chunks) {
        return new ManifestRef("s3://b/k", new Digest("ab".repeat(32)), objects, bytes, chunks);
    }

    @Test
    void eachObjectAndEachChunkNeedsUpToOnePageMore() {
        assertThat(ref(3, 10_000, 1).spaceBytes()).isEqualTo(10_000 + 4L * ChunkId.ALIGNMENT_BYTES);
    }

    @Test
    void aVersionNeedsAtMostTheSpaceOfItsChunks() {
        assertThat(ref(1, 2L * ChunkId.CHUNK_BYTES, 2).spaceBytes())
                .isEqualTo(2L * ChunkId.CHUNK_BYTES);
    }
}
