package dev.forebay.chunkstore.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What every policy must do, whatever it thinks is the best victim. */
abstract class EvictionPolicyContractTest {

    abstract EvictionPolicy<Integer> policy();

    @Test
    void anEmptyPolicyHasNoVictim() {
        assertThat(policy().victim(key -> true)).isEmpty();
    }

    @Test
    void whatMayNotBeEvictedIsNoVictim() {
        EvictionPolicy<Integer> policy = policy();
        for (int i = 0; i < 10; i++) {
            policy.add(i).touch();
        }
        assertThat(policy.victim(key -> false)).isEmpty();
        assertThat(policy.victim(key -> key == 7)).contains(7);
    }

    @Test
    void aVictimStaysUntilItIsRemoved() {
        EvictionPolicy<Integer> policy = policy();
        EvictionPolicy.Ticket only = policy.add(1);
        assertThat(policy.victim(key -> true)).contains(1);
        assertThat(policy.victim(key -> true)).contains(1);
        only.remove();
        only.remove();
        assertThat(policy.victim(key -> true)).isEmpty();
    }

    @Test
    void thereIsAVictimAsLongAsOneMayGo() {
        Random random = new Random(42);
        EvictionPolicy<Integer> policy = policy();
        Map<Integer, EvictionPolicy.Ticket> tickets = new HashMap<>();
        Predicate<Integer> odd = key -> key % 2 == 1;
        for (int step = 0; step < 20_000; step++) {
            List<Integer> keys = new ArrayList<>(tickets.keySet());
            switch (random.nextInt(4)) {
                case 0 -> tickets.put(step, policy.add(step));
                case 1 -> {
                    if (!keys.isEmpty()) {
                        ticket(tickets, keys.get(random.nextInt(keys.size()))).touch();
                    }
                }
                case 2 -> {
                    if (keys.size() > 50) {
                        int key = keys.get(random.nextInt(keys.size()));
                        ticket(tickets, key).remove();
                        tickets.remove(key);
                    }
                }
                default -> {
                    Optional<Integer> victim = policy.victim(odd);
                    assertThat(victim.isPresent()).isEqualTo(keys.stream().anyMatch(odd));
                    victim.ifPresent(
                            key -> {
                                assertThat(key).matches(odd);
                                ticket(tickets, key).remove();
                                tickets.remove(key);
                            });
                }
            }
        }
    }

    private static EvictionPolicy.Ticket ticket(
            Map<Integer, EvictionPolicy.Ticket> tickets, int key) {
        EvictionPolicy.Ticket ticket = tickets.get(key);
        if (ticket == null) {
            throw new AssertionError("victim " + key + " is not entered");
        }
        return ticket;
    }
}
