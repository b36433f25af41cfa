package dev.forebay.agent.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.membership.RegionView;
import dev.forebay.placement.WorkerNode;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RepairScheduleTest {

    private static final Duration GRACE = Duration.ofSeconds(60);
    private static final Duration INTERVAL = Duration.ofHours(1);

    private final RepairSchedule unrest = new RepairSchedule(GRACE, INTERVAL, 0);

    @Test
    void aCheckIsDueAfterAStartAndThenAfterEachInterval() {
        unrest.seen(view(Set.of("a", "b"), "a", "b"), at(1));
        assertThat(unrest.isDue(at(59))).isFalse();
        assertThat(unrest.isDue(at(60))).isTrue();
        unrest.calm(at(60));
        unrest.seen(view(Set.of("a", "b", "c"), "a", "b", "c"), at(61));
        assertThat(unrest.isDue(at(3_659))).isFalse();
        assertThat(unrest.isDue(at(3_660))).isTrue();
    }

    @Test
    void aCheckIsDueOneGracePeriodAfterTheLastLoss() {
        unrest.seen(view(Set.of("a", "b"), "a", "b"), at(1));
        unrest.calm(at(60));
        unrest.seen(view(Set.of("a"), "a", "b"), at(100));
        unrest.seen(view(Set.of("a", "b"), "a", "b"), at(110));
        unrest.seen(view(Set.of("b"), "a", "b"), at(130));
        assertThat(unrest.isDue(at(189))).isFalse();
        assertThat(unrest.isDue(at(190))).isTrue();
    }

    /** The check may have counted chunks of the lost worker. */
    @Test
    void aLossDuringACheckMakesAnotherDueAfterTheGracePeriod() {
        unrest.seen(view(Set.of("a", "b"), "a", "b"), at(1));
        assertThat(unrest.isDue(at(60))).isTrue();
        unrest.seen(view(Set.of("a"), "a", "b"), at(61));
        unrest.calm(at(62));

        assertThat(unrest.isDue(at(120))).isFalse();
        assertThat(unrest.isDue(at(121))).isTrue();
        unrest.calm(at(122));
        assertThat(unrest.isDue(at(3_721))).isFalse();
    }

    @Test
    void aRemovedRegistrationCountsAsALoss() {
        unrest.seen(view(Set.of("a"), "a", "b"), at(1));
        unrest.calm(at(60));
        unrest.seen(view(Set.of("a"), "a"), at(100));
        assertThat(unrest.isDue(at(160))).isTrue();
    }

    @Test
    void checksBackOffWhileAnythingIsMissing() {
        unrest.goesOn(at(60));
        assertThat(unrest.isDue(at(119))).isFalse();
        assertThat(unrest.isDue(at(120))).isTrue();
        unrest.goesOn(at(120));
        assertThat(unrest.isDue(at(239))).isFalse();
        assertThat(unrest.isDue(at(240))).isTrue();
        for (int i = 0; i < 20; i++) {
            unrest.goesOn(at(240));
        }
        assertThat(unrest.isDue(at(240 + 3_599))).isFalse();
        assertThat(unrest.isDue(at(240 + 3_600))).isTrue();
        unrest.calm(at(4_000));
        unrest.goesOn(at(4_000));
        assertThat(unrest.isDue(at(4_060))).isTrue();
    }

    private static long at(long seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    private static RegionView view(Set<String> live, String... registered) {
        return new RegionView(
                Arrays.stream(registered)
                        .map(id -> new WorkerNode(id, URI.create("http://w.invalid:1"), 1))
                        .toList(),
                live,
                List.of(),
                List.of());
    }
}
