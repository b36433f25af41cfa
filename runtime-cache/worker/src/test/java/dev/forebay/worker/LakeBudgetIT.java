package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ChunkId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The limit on the lake requests of all workers of a region together. */
class LakeBudgetIT extends RunningWorker {

    private static final int OBJECTS = 30;
    private static final int REGION_PER_SECOND = 30;
    private static final int WORKERS = 3;
    private static final int PER_SECOND = REGION_PER_SECOND / WORKERS;

    /** The delay that {@code LakePace} lets a worker make up for, because timers wake up late. */
    private static final Duration SLACK = Duration.ofMillis(50);

    @Test
    void eachWorkerStaysWithinItsShareOfTheRegionsLakeRequests() throws Exception {
        for (int i = 0; i < OBJECTS; i++) {
            region.put("budget/%02d".formatted(i), random(400 + i, 1_000));
        }
        TestVersion version = mounted("budget");
        List<WorkerProcess> both = List.of(fillsByItself("budget-1"), fillsByItself("budget-2"));
        for (WorkerProcess each : both) {
            awaitMounted(each, version);
        }
        // A worker answers before it has joined the region and knows the other workers. Until then
        // its share is too large.
        await(() -> region.state.view().live().size() == WORKERS);
        for (WorkerProcess each : both) {
            await(() -> each.metric("forebay_worker_lake_pace") == PER_SECOND);
        }

        ChunkId chunk = version.chunks().getFirst().chunk();
        List<Future<Duration>> fills = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (WorkerProcess each : both) {
                fills.add(threads.submit(() -> fill(each, version, chunk)));
            }
        }

        assertThat(region.reads("budget/")).hasSize(both.size() * OBJECTS);
        Duration allTurns = Duration.ofSeconds(1).multipliedBy(OBJECTS - 1).dividedBy(PER_SECOND);
        for (Future<Duration> fill : fills) {
            assertThat(fill.get())
                    .as("duration of %d requests at %d per second", OBJECTS, PER_SECOND)
                    .isGreaterThanOrEqualTo(allTurns.minus(SLACK));
        }
    }

    private static Duration fill(WorkerProcess process, TestVersion version, ChunkId chunk) {
        long begun = System.nanoTime();
        client.fill(process.node(), version.ref().digest(), chunk);
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    /** Starts a worker that reads the lake even if another worker has the chunk. */
    private WorkerProcess fillsByItself(String name) {
        return ownWorker(
                name,
                "forebay.worker.peers.attempts=0",
                "forebay.lake.requests-per-second=" + REGION_PER_SECOND);
    }
}
