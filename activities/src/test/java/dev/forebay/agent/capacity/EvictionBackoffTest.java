package dev.forebay.agent.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EvictionBackoffTest {

    private static final DatasetVersion ONE = DatasetVersion.parse("team/a@v1");
    private static final DatasetVersion OTHER = DatasetVersion.parse("team/b@v1");

    private long seconds = -3;
    private final EvictionBackoff tries =
            new EvictionBackoff(() -> TimeUnit.SECONDS.toNanos(seconds));

    @Test
    void anEvictionThatCannotHelpIsNotDue() {
        assertThat(tries.isDue(ONE, false)).isFalse();
    }

    @Test
    void evictionsAreDueAtOnceAndThenBackOffToOncePerMinute() {
        List<Long> tried = new ArrayList<>();
        for (int second = 0; second < 300; second++) {
            if (tries.isDue(ONE, true)) {
                tried.add((long) second);
            }
            seconds++;
        }

        assertThat(tried).containsExactly(0L, 10L, 30L, 70L, 130L, 190L, 250L);
    }

    @Test
    void theBackoffResetsWhenEvictionsTemporarilyCannotHelp() {
        assertThat(tries.isDue(ONE, true)).isTrue();
        assertThat(tries.isDue(ONE, true)).isFalse();
        assertThat(tries.isDue(OTHER, true)).as("each by itself").isTrue();
        tries.isDue(ONE, false);

        assertThat(tries.isDue(ONE, true)).isTrue();
        assertThat(tries.isDue(OTHER, true)).isFalse();
    }
}
