package dev.forebay.agent.fill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.workflows.activity.RegionActivities.WarmProgress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RangeCursorTest {

    @Test
    void theCursorBeginsAtTheGivenProgress() {
        assertThat(new RangeCursor(new WarmProgress(7, 100, 50, 5)).progress())
                .isEqualTo(new WarmProgress(7, 100, 50, 5));
    }

    @Test
    void theCursorStaysAtTheLowestUnfinishedChunk() {
        RangeCursor cursor = new RangeCursor(new WarmProgress(10, 0, 100, 3));

        cursor.finished(11, 5, 20, 1);
        cursor.finished(12, 5, 30, 2);
        assertThat(cursor.progress()).isEqualTo(new WarmProgress(10, 10, 100, 3));

        cursor.finished(10, 1, 7, 0);
        assertThat(cursor.progress()).isEqualTo(new WarmProgress(13, 11, 157, 6));
    }

    @Test
    void theCursorIsCorrectForAnyOrderOfCompletion() {
        long seed = System.nanoTime();
        List<Long> order = new ArrayList<>(LongStream.range(1000, 1500).boxed().toList());
        Collections.shuffle(order, new Random(seed));
        RangeCursor cursor = new RangeCursor(new WarmProgress(1000, 0, 0, 0));
        TreeSet<Long> left = new TreeSet<>(order);

        for (long ordinal : order) {
            cursor.finished(ordinal, 1, 10, 2);
            left.remove(ordinal);
            long lowest = left.isEmpty() ? 1500 : left.first();
            assertThat(cursor.progress().next()).as("seed %d", seed).isEqualTo(lowest);
            assertThat(cursor.progress().bytesVerified()).isEqualTo(10 * (lowest - 1000));
            assertThat(cursor.progress().objects()).isEqualTo(2 * (lowest - 1000));
        }
        assertThat(cursor.progress().bytesFromLake()).isEqualTo(500);
    }
}
