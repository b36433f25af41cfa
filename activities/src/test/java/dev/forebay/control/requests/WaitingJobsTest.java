package dev.forebay.control.requests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitingJobsTest {

    private static final RegionName NEAR = new RegionName("near");
    private static final RegionName FAR = new RegionName("far");
    private static final DatasetVersion VERSION = DatasetVersion.parse("team/data@v1");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private long nanos = -5;
    private final WaitingJobs waiting =
            new WaitingJobs(List.of("near", "far"), registry, () -> nanos);

    @Test
    void noRequestWaitsAtFirst() {
        assertThat(requests(NEAR)).isZero();
        assertThat(seconds(NEAR)).isZero();
    }

    @Test
    void aRepeatedRequestCountsFromItsFirstTime() {
        waiting.waits(VERSION, "a", List.of(NEAR));
        pass(30);
        waiting.waits(VERSION, "b", List.of(NEAR, FAR));
        pass(30);
        waiting.waits(VERSION, "a", List.of(NEAR));

        assertThat(requests(NEAR)).isEqualTo(2);
        assertThat(seconds(NEAR)).isEqualTo(60);
        assertThat(requests(FAR)).isEqualTo(1);
        assertThat(seconds(FAR)).isEqualTo(30);
    }

    @Test
    void anAnsweredRequestNoLongerWaits() {
        waiting.waits(VERSION, "a", List.of(NEAR));
        waiting.ended(VERSION, "a");
        waiting.ended(VERSION, "never seen");

        assertThat(requests(NEAR)).isZero();

        pass(10);
        waiting.waits(VERSION, "a", List.of(NEAR));
        pass(1);
        assertThat(seconds(NEAR)).isEqualTo(1);
    }

    @Test
    void theSameIdOfAnotherVersionIsAnotherRequest() {
        waiting.waits(VERSION, "a", List.of(NEAR));
        waiting.ended(DatasetVersion.parse("team/data@v2"), "a");

        assertThat(requests(NEAR)).isEqualTo(1);
    }

    @Test
    void aRequestThatIsNotRepeatedExpires() {
        waiting.waits(VERSION, "a", List.of(NEAR));
        pass(120);
        assertThat(requests(NEAR)).isEqualTo(1);
        pass(1);
        assertThat(requests(NEAR)).isZero();
        assertThat(seconds(NEAR)).isZero();
    }

    @Test
    void theNumberOfTrackedRequestsIsBounded() {
        for (int i = 0; i < 10_001; i++) {
            waiting.waits(VERSION, "r" + i, List.of(NEAR));
        }

        assertThat(requests(NEAR)).isEqualTo(10_000);
    }

    private void pass(long seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
    }

    private double requests(RegionName region) {
        return gauge("forebay.control.waiting.requests", region);
    }

    private double seconds(RegionName region) {
        return gauge("forebay.control.waiting.seconds", region);
    }

    private double gauge(String name, RegionName region) {
        return registry.get(name).tag("region", region.value()).gauge().value();
    }
}
