package dev.forebay.fuse.nodecache;

import dev.forebay.model.PackId;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A piece is fetched once for all threads that ask for it, and stays. */
@Tag("lincheck")
class SharedFetchesLincheckTest {

    private static final int SCENARIOS = Integer.getInteger("forebay.lincheck.scenarios", 10);
    private static final PackId PACK = PackId.parse("ab".repeat(32));

    @Test
    void concurrentReadersFetchAPieceOnce() {
        new StressOptions()
                .iterations(SCENARIOS)
                .invocationsPerIteration(500)
                .threads(3)
                .actorsPerThread(3)
                .check(Actors.class);
    }

    /** The operations of the model; created for each run. */
    @Param(name = "piece", gen = IntGen.class, conf = "0:1")
    public static class Actors {

        private final SharedFetches flights = new SharedFetches();
        private final AtomicBoolean[] here = {new AtomicBoolean(), new AtomicBoolean()};
        // Not atomic on purpose: flights of a piece run one after the other.
        private final int[] brought = new int[2];

        /** Returns how often the piece was fetched: 1, by any thread. */
        @Operation
        public int bring(@Param(name = "piece") int piece) throws IOException {
            while (!here[piece].get()) {
                Optional<Boolean> _ =
                        flights.lead(
                                TestPack.ALL,
                                PACK,
                                (long) piece * PackUnits.PIECE,
                                () -> {
                                    if (!here[piece].get()) {
                                        brought[piece]++;
                                        Thread.onSpinWait();
                                        here[piece].set(true);
                                    }
                                    return true;
                                });
            }
            return brought[piece];
        }
    }
}
