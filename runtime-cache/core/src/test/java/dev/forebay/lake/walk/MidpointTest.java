package dev.forebay.lake.walk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lake.KeyOrder;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class MidpointTest {

    private static final String CHARACTERS = " !/09Aaz~\u007fäé日\ud7ff\ue000😀";

    @RepeatedTest(50)
    void theMidpointLiesBetweenItsBounds() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        String one = "p/" + text(random);
        String other = "p/" + text(random);
        String low = KeyOrder.UTF8.compare(one, other) <= 0 ? one : other;
        String high = low.equals(one) ? other : one;

        for (String end : new String[] {high, null}) {
            Midpoint.between("p/", low, end)
                    .ifPresent(
                            middle -> {
                                assertThat(KeyOrder.UTF8.compare(low, middle))
                                        .as("seed %d", seed)
                                        .isNegative();
                                assertThat(middle).startsWith("p/");
                                if (end != null) {
                                    assertThat(KeyOrder.UTF8.compare(middle, end))
                                            .as("seed %d", seed)
                                            .isNegative();
                                }
                            });
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        int[] points = CHARACTERS.codePoints().toArray();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.appendCodePoint(points[random.nextInt(points.length)]);
        }
        return text.toString();
    }

    @Test
    void numbersAreHalvedDigitByDigit() {
        assertThat(Midpoint.between("d/", "d/0001", null)).hasValue("d/5");
        assertThat(Midpoint.between("d/", "d/0001", "d/5")).hasValue("d/2");
        assertThat(Midpoint.between("d/", "d/0001", "d/2")).hasValue("d/1");
        assertThat(Midpoint.between("d/", "d/0001", "d/1")).hasValue("d/05");
        assertThat(Midpoint.between("d/", "d/9901", null)).hasValue("d/995");
        assertThat(Midpoint.between("", "a0001", "a0009")).hasValue("a0005");
    }

    @Test
    void aPrefixCommonToAllKeysCostsOneGuess() {
        assertThat(Midpoint.between("d/", "d/train/img-01.jpg", null)).hasValue("d/train/img-~");
        assertThat(Midpoint.between("d/", "d/train/img-01.jpg", "d/train/img-~"))
                .hasValue("d/train/img-5");
    }

    @Test
    void anEmptyRangeHasNoMidpoint() {
        assertThat(Midpoint.between("", "a", "a")).isEmpty();
        assertThat(Midpoint.between("", "b", "a")).isEmpty();
        assertThat(Midpoint.between("", "", null)).isEmpty();
    }
}
