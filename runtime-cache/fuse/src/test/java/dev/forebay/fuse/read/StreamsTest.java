package dev.forebay.fuse.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.read.Streams.Advice;
import dev.forebay.model.PackId;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StreamsTest {

    private static final long MIB = 1 << 20;
    private static final PackId PACK = PackId.parse("a".repeat(64));

    private final Streams streams = new Streams(16 * MIB);

    private Advice read(long from, long bytes) {
        return streams.note(PACK, from, from + bytes);
    }

    /** Reads sequentially and returns how far the read-ahead reaches past the end. */
    private long readOn(long from, long to) {
        long ahead = 0;
        for (long at = from; at < to; at += MIB / 4) {
            Advice advice = read(at, MIB / 4);
            ahead = advice.prefetchTo() - at - MIB / 4;
        }
        return ahead;
    }

    @Test
    void theWindowGrowsWithSequentialReadsAndShrinksOnRequest() {
        assertThat(readOn(0, 2 * MIB)).isBetween(MIB, 4 * MIB);
        assertThat(readOn(2 * MIB, 10 * MIB)).isEqualTo(16 * MIB);
        streams.shrink();
        streams.shrink();
        assertThat(readOn(10 * MIB, 12 * MIB)).isEqualTo(4 * MIB);
        assertThat(readOn(12 * MIB, 60 * MIB)).isEqualTo(16 * MIB);
    }

    @Test
    void theWindowDoublesWithEachMegabyte() {
        read(0, MIB);
        assertThat(read(MIB, MIB)).isEqualTo(new Advice(true, 2 * MIB, 3 * MIB));
        assertThat(read(2 * MIB, MIB)).isEqualTo(new Advice(true, 3 * MIB, 5 * MIB));
        assertThat(read(3 * MIB, MIB / 2)).isEqualTo(new Advice(true, 5 * MIB, 5 * MIB + MIB / 2));
    }

    @Test
    void aYoungStreamToleratesADistanceOfFourReads() {
        read(0, 1_000);
        assertThat(read(5_000, 1_000).sequential()).isTrue();
        assertThat(read(10_001, 1_000).sequential()).isFalse();
    }

    @Test
    void aStreamOfAMegabyteToleratesADistanceOfAMegabyte() {
        read(0, MIB / 2);
        read(MIB / 2, MIB / 2);
        assertThat(read(2 * MIB, 1_000).sequential()).isTrue();
        assertThat(read(3 * MIB + 1_001, 1_000).sequential()).isFalse();
    }

    @Test
    void theLeastRecentlyReadOf65StreamsIsForgotten() {
        for (int i = 0; i < 64; i++) {
            streams.note(pack(i), 0, MIB);
        }
        assertThat(streams.note(pack(0), MIB, 2 * MIB).sequential()).isTrue();
        streams.note(pack(64), 0, MIB);

        assertThat(streams.note(pack(0), 2 * MIB, 3 * MIB).sequential()).isTrue();
        assertThat(streams.note(pack(1), MIB, 2 * MIB).sequential()).isFalse();
    }

    @Test
    void theStrideOfTheFirstOf65PacksIsForgotten() {
        assertThat(adviceOnTheFourthRead(63).prefetchFrom()).isEqualTo(40 * MIB);
        assertThat(adviceOnTheFourthRead(64)).isEqualTo(new Advice(false, 0, 0));
    }

    /** Reads one pack in strides, and this number of other packs in between. */
    private Advice adviceOnTheFourthRead(int others) {
        Streams some = new Streams(16 * MIB);
        for (int i = 0; i < 3; i++) {
            some.note(PACK, i * 10L * MIB, i * 10L * MIB + MIB);
        }
        for (int i = 0; i < others; i++) {
            some.note(pack(i), 0, MIB);
        }
        return some.note(PACK, 30 * MIB, 31 * MIB);
    }

    private static PackId pack(int number) {
        return PackId.parse("%064x".formatted(number));
    }

    @Test
    void aBackwardStrideEndsAtTheStartOfItsPack() {
        for (int i = 4; i > 1; i--) {
            read(i * 10L * MIB, MIB / 8);
        }
        assertThat(read(10 * MIB, MIB / 8)).isEqualTo(new Advice(false, 0, MIB / 8));
        assertThat(read(0, MIB / 8)).isEqualTo(new Advice(false, 0, 0));
    }

    @Test
    void aStrideIsRecognisedAndItsNextReadIsPrefetched() {
        for (int i = 0; i < 3; i++) {
            assertThat(read(i * 10L * MIB, MIB / 2).prefetchTo()).isZero();
        }
        for (int i = 3; i < 10; i++) {
            assertThat(read(i * 10L * MIB, MIB / 2))
                    .isEqualTo(
                            new Advice(false, (i + 1) * 10L * MIB, (i + 1) * 10L * MIB + MIB / 2));
        }
        assertThat(read(999 * MIB, MIB / 2).prefetchTo()).isZero();
    }

    @Test
    void smallStridedReadsAndRandomReadsPrefetchNothing() {
        for (int i = 0; i < 20; i++) {
            assertThat(read(i * 10L * MIB, 4096).prefetchTo()).isZero();
        }
        Random random = new Random(1);
        for (int i = 0; i < 1000; i++) {
            assertThat(read(random.nextLong(1L << 40), MIB / 4).prefetchTo()).isZero();
        }
    }

    /** In a pack of this size, any offset is near one of many new streams. */
    @Test
    void randomReadsInASmallPackRarelyCountAsSequential() {
        Random random = new Random(1);
        int sequential = 0;
        for (int i = 0; i < 2000; i++) {
            sequential += read(random.nextLong(512 * MIB / 4096) * 4096, 4096).sequential() ? 1 : 0;
        }
        assertThat(sequential).isLessThan(40);
    }

    @Test
    void filesThatAreReadNearlyInOrderAreOneStream() {
        read(0, 100_000);
        for (int file : new int[] {2, 1, 4, 3, 6, 5, 8, 7}) {
            assertThat(read(file * 102_400L, 100_000).sequential()).as("file %s", file).isTrue();
        }
    }
}
