package dev.forebay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.operator.ModelPlatform.Copy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * Invariants for any events in any order, with the operator killed at any point. The record always
 * covers everything that may be held. In the end exactly the declared state exists.
 */
class ConvergencePropertyTest {

    private static final List<String> REGIONS = List.of("east", "north", "west");
    private static final int MOVES = 12;
    private static final int ENOUGH = 12;

    private static final class Killed extends RuntimeException {}

    /** A resource whose status survives the death of an operator. */
    private static final class Played {

        final ModelPlatform platform = new ModelPlatform("dataset-" + Samples.UID);
        List<String> regions = new ArrayList<>();
        List<RegionHolding> recorded = List.of();
        @Nullable Instant deletedAt;

        /** Whether the resource is deleted and holds nothing any more. */
        boolean isGone;

        DeclaredDataset declared() {
            return Samples.declared(
                    Samples.spec("latest", null, regions.toArray(String[]::new)),
                    deletedAt,
                    recorded.toArray(RegionHolding[]::new));
        }

        /** Reconciles, and is killed before or after one of the steps. */
        void observe(int killedAt) {
            if (isGone) {
                return;
            }
            AtomicInteger done = new AtomicInteger();
            DeclaredDataset declared = declared();
            DatasetPlan plan = DatasetPlanner.plan(declared, platform.observe());
            try {
                PlanOutcome outcome =
                        PlanExecution.of(
                                declared,
                                plan,
                                step -> {
                                    survive(done, killedAt);
                                    platform.take(step);
                                    survive(done, killedAt);
                                },
                                holdings -> {
                                    survive(done, killedAt);
                                    recorded = holdings;
                                    survive(done, killedAt);
                                });
                survive(done, killedAt);
                isGone = deletedAt != null && outcome.isDone();
            } catch (Killed here) {
                // The next reconciliation starts from the state of this moment.
            }
            assertOnRecord();
        }

        private static void survive(AtomicInteger done, int killedAt) {
            if (done.getAndIncrement() == killedAt) {
                throw new Killed();
            }
        }

        void assertOnRecord() {
            Set<Copy> known = new TreeSet<>();
            for (RegionHolding holding : recorded) {
                holding.versions().forEach(it -> known.add(new Copy(it, holding.region())));
            }
            assertThat(platform.pins).isSubsetOf(known);
            assertThat(platform.requests).isSubsetOf(known);
        }

        void move(int move) {
            int argument = move / MOVES;
            String region = REGIONS.get(argument % REGIONS.size());
            switch (move % MOVES) {
                case 0, 1, 2 -> observe(argument % 10);
                case 3 -> observe(Integer.MAX_VALUE);
                case 4 -> platform.mount();
                case 5 -> platform.fill();
                case 6 -> platform.newVersion();
                case 7 -> {
                    if (!regions.remove(region)) {
                        regions.add(region);
                    }
                }
                case 8 -> {
                    if (!platform.away.remove(region)) {
                        platform.away.add(region);
                    }
                }
                case 9 -> platform.endLeases();
                case 10 -> platform.sweep();
                default -> {
                    if (isGone) {
                        // The resource is created again.
                        isGone = false;
                        deletedAt = null;
                        recorded = List.of();
                    } else {
                        deletedAt = Samples.NOW;
                    }
                }
            }
        }

        /** Reconciles without further events, deaths or outages. */
        void settle() {
            platform.away.clear();
            for (int i = 0; i < ENOUGH; i++) {
                observe(Integer.MAX_VALUE);
                platform.fill();
            }
        }
    }

    @Property(tries = 2_000)
    void theOperatorReachesTheDeclaredStateAfterAnyEvents(
            @ForAll @Size(max = 60) List<@IntRange(max = 1_199) Integer> moves) {
        Played played = new Played();
        moves.forEach(played::move);

        played.settle();

        if (played.deletedAt != null) {
            assertThat(played.isGone).isTrue();
            assertThat(played.platform.isRegistered()).isFalse();
            assertThat(played.platform.pins).isEmpty();
            assertThat(played.platform.requests).isEmpty();
            return;
        }
        Set<Copy> wanted = new TreeSet<>();
        List<RegionHolding> record = new ArrayList<>();
        String latest = played.platform.latest();
        for (String region : played.regions) {
            wanted.add(new Copy(latest, region));
            record.add(new RegionHolding(region, latest, latest));
        }
        assertThat(played.platform.isRegistered()).isTrue();
        assertThat(played.platform.pins).isEqualTo(wanted);
        assertThat(played.platform.requests).isEmpty();
        assertThat(played.recorded).isEqualTo(record);
    }
}
