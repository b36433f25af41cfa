package dev.forebay.agent.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.membership.RegionView;
import dev.forebay.placement.WorkerNode;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** "Admission": the recent capacity, including workers that have left. */
class RecentCapacityTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final RecentCapacity capacity = new RecentCapacity(HOUR, nanos::get);

    @Test
    void capacityCountsForAnHourAfterItsWorkerHasLeft() {
        assertThat(capacity.bytes()).isZero();
        workers(3, 4);
        assertThat(capacity.bytes()).isEqualTo(7);
        pass(HOUR.multipliedBy(5));

        workers(3);
        pass(HOUR);
        assertThat(capacity.bytes()).isEqualTo(7);
        pass(Duration.ofNanos(1));
        assertThat(capacity.bytes()).isEqualTo(3);
    }

    @Test
    void theHourStartsAgainAfterAWorkerReturns() {
        workers(3, 4);
        workers(3);
        pass(HOUR.dividedBy(2));
        workers(3, 4);
        pass(HOUR.dividedBy(2));
        workers(3);
        pass(HOUR.dividedBy(2).plusSeconds(1));

        assertThat(capacity.bytes()).isEqualTo(7);
    }

    @Test
    void addedCapacityCountsAtOnce() {
        workers(3);
        workers(3, 4);
        assertThat(capacity.bytes()).isEqualTo(7);
        workers(9);
        assertThat(capacity.bytes()).isEqualTo(9);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void workers(long... bytes) {
        List<WorkerNode> workers =
                IntStream.range(0, bytes.length)
                        .mapToObj(
                                i ->
                                        new WorkerNode(
                                                "w" + i,
                                                URI.create("http://w.invalid:1"),
                                                bytes[i]))
                        .toList();
        capacity.changed(new RegionView(workers, Set.of(), List.of(), List.of(), List.of()));
    }
}
