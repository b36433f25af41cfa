package dev.forebay.system;

import java.util.stream.LongStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kills processes at random moments of a run with five datasets, two regions, pins and evictions.
 * Set {@code -Dforebay.seed} to repeat a run. Set {@code -Dforebay.chaos.rounds} for the number of
 * rounds, each with the next seed. Set {@code -Dforebay.chaos.kinds} for the number of kinds of
 * process, of six, that die in each round.
 */
@ExtendWith(SharedStack.class)
class CrashRoundIT {

    /** Far from overflow, and short enough to type. */
    private static final long SEED =
            Long.getLong("forebay.seed", Math.floorMod(System.nanoTime(), 1_000_000_000L));

    private static final int ROUNDS = Integer.getInteger("forebay.chaos.rounds", 1);

    private final RunningStack stack;

    CrashRoundIT(RunningStack stack) {
        this.stack = stack;
    }

    /** "An accepted request is not lost", "Each byte is fetched once", "Pins", "The ledger". */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void killsAtRandomMomentsLoseNothing(long seed) {
        System.out.println("Seed " + seed);
        new CrashRound(stack, seed).run();
    }

    static LongStream seeds() {
        return LongStream.range(SEED, SEED + ROUNDS);
    }
}
