package dev.forebay.chunkstore.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** The contract of every eviction policy, independent of its choice of victims. */
abstract class EvictionPolicyContractTest {

    abstract EvictionPolicy policy();

    @Test
    void anEmptyPolicyHasNoVictim() {
        assertThat(policy().victim(_ -> true)).isEqualTo(EvictionPolicy.NONE);
    }

    @Test
    void aProtectedSlotIsNeverTheVictim() {
        EvictionPolicy policy = policy();
        for (int slot = 0; slot < 10; slot++) {
            policy.add(slot, slot);
            policy.touch(slot);
        }
        assertThat(policy.victim(_ -> false)).isEqualTo(EvictionPolicy.NONE);
        assertThat(policy.victim(slot -> slot == 7)).isEqualTo(7);
    }

    @Test
    void aVictimStaysUntilItIsRemoved() {
        EvictionPolicy policy = policy();
        policy.add(1, 17);
        assertThat(policy.victim(_ -> true)).isEqualTo(1);
        assertThat(policy.victim(_ -> true)).isEqualTo(1);
        policy.remove(1);
        policy.remove(1);
        policy.touch(1);
        policy.remove(100);
        policy.touch(100);
        assertThat(policy.victim(_ -> true)).isEqualTo(EvictionPolicy.NONE);
    }

    @Test
    void aVictimExistsAsLongAsOneSlotMayBeEvicted() {
        Random random = new Random(42);
        EvictionPolicy policy = policy();
        TreeSet<Integer> entered = new TreeSet<>();
        IntPredicate odd = slot -> slot % 2 == 1;
        for (int step = 0; step < 20_000; step++) {
            List<Integer> slots = new ArrayList<>(entered);
            switch (random.nextInt(4)) {
                case 0 -> {
                    int slot = random.nextInt(500);
                    if (entered.add(slot)) {
                        policy.add(slot, random.nextInt());
                    }
                }
                case 1 -> policy.touch(random.nextInt(600));
                case 2 -> {
                    if (slots.size() > 50) {
                        int slot = slots.get(random.nextInt(slots.size()));
                        policy.remove(slot);
                        entered.remove(slot);
                    }
                }
                default -> {
                    int victim = policy.victim(odd);
                    assertThat(victim != EvictionPolicy.NONE)
                            .isEqualTo(slots.stream().anyMatch(odd::test));
                    if (victim != EvictionPolicy.NONE) {
                        assertThat(entered).contains(victim);
                        assertThat(odd.test(victim)).isTrue();
                        policy.remove(victim);
                        entered.remove(victim);
                    }
                }
            }
        }
    }
}
