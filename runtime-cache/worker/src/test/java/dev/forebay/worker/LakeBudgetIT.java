package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.Fault;
import dev.forebay.devstack.fault.FaultProxy;
import dev.forebay.manifest.ChunkRef;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the workers of a region together ask of the lake. */
class LakeBudgetIT extends RunningWorker {

    private static final int OBJECTS = 60;
    private static final int PER_SECOND = 30;

    @Test
    void workersShareWhatTheRegionMayAskInASecond() throws Exception {
        for (int i = 0; i < OBJECTS; i++) {
            region.put("budget/%02d".formatted(i), random(400 + i, 1_000));
        }
        TestVersion version = mounted("budget");
        ConcurrentLinkedQueue<Long> asked = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<String> objects = new ConcurrentLinkedQueue<>();
        try (FaultProxy lake = FaultProxy.before(region.s3.endpoint());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<WorkerProcess> both = List.of(asksByItself(lake, 1), asksByItself(lake, 2));
            both.forEach(each -> awaitMounted(each, version));
            lake.spoil(
                    request -> {
                        if (request.method().equals("GET")) {
                            asked.add(System.nanoTime());
                            objects.add(request.target());
                        }
                        return Fault.NONE;
                    });
            ChunkRef chunk = version.chunks().getFirst();
            List<Future<?>> fills = new ArrayList<>();
            for (WorkerProcess each : both) {
                fills.add(
                        threads.submit(
                                () ->
                                        client.fill(
                                                each.node(),
                                                version.ref().digest(),
                                                chunk.chunk())));
            }
            for (Future<?> fill : fills) {
                fill.get();
            }
        }

        // What else they read meanwhile, such as manifests, is asked for in turn, too.
        assertThat(objects).filteredOn(it -> it.contains("/budget/")).hasSize(2 * OBJECTS);
        List<Long> times = asked.stream().sorted().toList();
        // Three workers are live, so these two may ask for two thirds of it; either alone, without
        // regard to the others, would ask for all.
        int inTwoSeconds = 2 * PER_SECOND;
        for (int i = inTwoSeconds; i < times.size(); i++) {
            assertThat(times.get(i) - times.get(i - inTwoSeconds))
                    .as("nanoseconds in which %d requests came", inTwoSeconds + 1)
                    .isGreaterThan(TimeUnit.SECONDS.toNanos(2));
        }
    }

    /** Else the chunk would come from the lake once. */
    private WorkerProcess asksByItself(FaultProxy lake, int number) {
        return ownWorker(
                "budget-" + number,
                "forebay.worker.peers.attempts=0",
                "forebay.lake.requests-per-second=" + PER_SECOND,
                "forebay.lake.endpoint=" + lake.endpoint());
    }
}
