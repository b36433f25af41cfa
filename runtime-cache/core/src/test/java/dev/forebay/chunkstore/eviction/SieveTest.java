package dev.forebay.chunkstore.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SieveTest extends EvictionPolicyContractTest {

    @Override
    EvictionPolicy<Integer> policy() {
        return new Sieve<>();
    }

    @Test
    void theOldestThatWasNotUsedAgainGoesFirst() {
        EvictionPolicy<Integer> policy = policy();
        List<EvictionPolicy.Ticket> tickets = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tickets.add(policy.add(i));
        }
        tickets.get(0).touch();
        tickets.get(2).touch();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int victim = policy.victim(key -> true).orElseThrow();
            order.add(victim);
            tickets.get(victim).remove();
        }
        assertThat(order).containsExactly(1, 3, 4, 0, 2);
    }

    @Test
    void aScanDoesNotDriveOutWhatIsUsed() {
        EvictionPolicy<Integer> policy = policy();
        List<EvictionPolicy.Ticket> tickets = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            tickets.add(policy.add(i));
        }
        for (int i = 10; i < 1000; i++) {
            tickets.subList(0, 10).forEach(EvictionPolicy.Ticket::touch);
            int victim = policy.victim(key -> true).orElseThrow();
            if (i > 10) {
                assertThat(victim).isGreaterThanOrEqualTo(10);
            }
            tickets.get(victim).remove();
            if (victim < 10) {
                tickets.set(victim, policy.add(victim));
            }
            tickets.add(policy.add(i));
        }
    }
}
