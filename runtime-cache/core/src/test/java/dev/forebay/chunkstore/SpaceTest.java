package dev.forebay.chunkstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.chunkstore.eviction.TinyLfu;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpaceTest {
    private static final ChunkId ONE = new ChunkId(new PackId(new Digest("ab".repeat(32))), 1);
    private static final ChunkId OTHER = new ChunkId(ONE.pack(), 2);

    @TempDir private Path directory;

    private Space space(long bytes, long files) {
        return new Space(
                new ChunkFiles(directory),
                new ChunkTable(),
                new Counters(),
                new StoreLimits(bytes, files),
                new TinyLfu(),
                _ -> false);
    }

    private static void refuses(Space space, ChunkId chunk, long bytes) {
        assertThatThrownBy(() -> space.reserve(chunk, bytes))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
    }

    @Test
    void reservedBytesCountTowardsTheLimit() {
        Space space = space(100, 10);
        space.reserve(ONE, 60);
        refuses(space, OTHER, 41);
        space.reserve(OTHER, 40);
        space.unreserve(60);
        space.reserve(ONE, 60);
    }

    @Test
    void reservedFilesCountTowardsTheLimit() {
        Space space = space(100, 1);
        space.reserve(ONE, 1);
        refuses(space, OTHER, 1);
        space.unreserve(1);
        space.reserve(OTHER, 1);
    }
}
