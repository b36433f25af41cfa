package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.forebay.fuse.CapturedLog;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamageLogTest {

    private static final String SAID = "damaged blocks of 64 KiB on this node's disk";
    private static final int MANY = 100;

    @TempDir private Path directory;
    private final TestPack pack = new TestPack(2 * PackUnits.PAGES_OF_CHUNK, 29);
    private final CapturedLog err = new CapturedLog();

    @AfterEach
    void endListening() {
        err.close();
    }

    private void flip(int block) throws IOException {
        Path data = directory.resolve(TestPack.ID + ".pack");
        try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
            file.seek((long) block * PackUnits.BLOCK);
            file.write(pack.bytes[block * PackUnits.BLOCK] ^ 1);
        }
    }

    /** One read of a few bytes logs all damaged blocks of the chunk. */
    @Test
    void aStrictReadLogsTheDamagedBlocks() throws IOException {
        int first = PackUnits.BLOCKS_OF_CHUNK + 3;
        try (PackCache cache = PackCache.open(directory, 1L << 30, true, pack.source(), pack)) {
            pack.assertReadsAll(cache, TestPack.ALL);
            flip(first);
            flip(first + 2);
            pack.assertReads(cache, TestPack.ALL, (long) first * PackUnits.BLOCK + 100, 10, true);
            pack.assertReadsAll(cache, TestPack.ALL);
        }
        assertThat(err.linesWith(SAID))
                .singleElement()
                .asString()
                .contains(
                        "Pack %s of [vision/digits@v1] has 2 damaged blocks".formatted(TestPack.ID),
                        "within bytes %d to %d;"
                                .formatted(
                                        (long) first * PackUnits.BLOCK,
                                        (long) (first + 3) * PackUnits.BLOCK));
    }

    @Test
    void manyDamagedBlocksCauseFewLogLines() {
        DamageLog log = new DamageLog(_ -> List.of());
        BitSet block = new BitSet();
        block.set(0);
        for (int i = 0; i < MANY; i++) {
            log.found(TestPack.ID, i, block);
        }
        assertThat(err.linesWith(SAID)).hasSizeBetween(1, MANY / 4);
        log.found(TestPack.ID, 0, new BitSet());
        assertThat(err.linesWith(SAID)).hasSizeLessThan(MANY / 4 + 1);
    }

    @Test
    void damageIsLoggedEvenIfTheVersionsAreUnknown() {
        DamageLog log =
                new DamageLog(
                        _ -> {
                            throw new ForebayException(ErrorCode.NOT_FOUND, "it has just left");
                        });
        BitSet block = new BitSet();
        block.set(1);
        assertThatCode(() -> log.found(TestPack.ID, 0, block)).doesNotThrowAnyException();
        assertThat(err.linesWith(SAID)).hasSize(1);
    }
}
