package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Concurrent callers share one fill per chunk at a time, and each caller gets its own version's
 * result.
 */
@Tag("lincheck")
class FillsInFlightLincheckTest {

    private static final int SCENARIOS = Integer.getInteger("forebay.lincheck.scenarios", 10);
    private static final PackId PACK = PackId.parse("ab".repeat(32));

    @Test
    void fillsOfAChunkRunOneAtATimeAndEveryCallerGetsItsResult() {
        new StressOptions()
                .iterations(SCENARIOS)
                .invocationsPerIteration(200)
                .threads(3)
                .actorsPerThread(3)
                .check(Actors.class);
    }

    /** The operations. Lincheck creates an instance for each run. */
    @Param(name = "chunk", gen = IntGen.class, conf = "0:1")
    @Param(name = "version", gen = IntGen.class, conf = "1:2")
    public static class Actors {

        private final FillsInFlight<Integer> flights = new FillsInFlight<>();
        private final AtomicIntegerArray begun = new AtomicIntegerArray(2);
        private final AtomicIntegerArray ended = new AtomicIntegerArray(2);

        /**
         * Returns 10 times the chunk plus the version, whichever caller filled it. Returns -1 if
         * two fills ran at once.
         */
        @Operation
        public int join(@Param(name = "chunk") int chunk, @Param(name = "version") int version) {
            while (true) {
                var landed =
                        flights.join(
                                new ChunkId(PACK, chunk),
                                new Digest(Integer.toString(version).repeat(64)),
                                Urgency.demand(),
                                false,
                                Duration.ofSeconds(30),
                                (_, _) -> fill(chunk, version));
                if (landed.isPresent()) {
                    return landed.get().result().orElseThrow();
                }
            }
        }

        private int fill(int chunk, int version) {
            boolean alone = begun.incrementAndGet(chunk) == ended.get(chunk) + 1;
            // Long enough for a second fill to start, if that is possible.
            LockSupport.parkNanos(1_000);
            ended.incrementAndGet(chunk);
            return alone ? 10 * chunk + version : -1;
        }

        /** Returns true if all fills that were running at the call have ended. */
        @Operation
        public boolean awaitLanded(@Param(name = "chunk") int chunk) {
            int before = begun.get(chunk);
            flights.awaitLanded(id -> id.index() == chunk, Duration.ofSeconds(30));
            return ended.get(chunk) >= before;
        }
    }
}
