package dev.forebay.agent.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.capacity.SharedSpace.Part;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bounding of parts. {@link VersionSurveyTest} covers sharing between manifests. */
class SharedSpaceTest {

    private static final List<Part> PARTS =
            List.of(
                    new Part(BitSet.valueOf(new long[] {0b11}), 9),
                    new Part(BitSet.valueOf(new long[] {0b1}), 5),
                    new Part(BitSet.valueOf(new long[] {0b100}), 2),
                    new Part(BitSet.valueOf(new long[] {0b10}), 1));

    @Test
    void theLimitMergesTheSmallestPartsIntoOneThatAllVersionsOwn() {
        assertThat(SharedSpace.bounded(PARTS, 3, 2))
                .containsExactly(
                        PARTS.get(0),
                        PARTS.get(1),
                        new Part(BitSet.valueOf(new long[] {0b111}), 3));
        assertThat(SharedSpace.bounded(PARTS, 3, 4)).isEqualTo(PARTS);
    }
}
