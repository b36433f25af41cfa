package dev.forebay.chunkstore.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TinyLfuTest extends EvictionPolicyContractTest {

    @Override
    EvictionPolicy policy() {
        return new TinyLfu();
    }

    /** A cache with a fixed number of slots, which counts hits. */
    private static final class Cache {
        final TinyLfu policy = new TinyLfu();
        final Map<Integer, Integer> slotOf = new HashMap<>();
        final int[] keyIn;

        Cache(int places) {
            keyIn = new int[places];
        }

        boolean use(int key) {
            Integer known = slotOf.get(key);
            if (known != null) {
                policy.touch(known);
                return true;
            }
            int slot = slotOf.size();
            if (slot == keyIn.length) {
                slot = policy.victim(_ -> true);
                policy.remove(slot);
                slotOf.remove(keyIn[slot]);
            }
            keyIn[slot] = key;
            slotOf.put(key, slot);
            policy.add(slot, key);
            return false;
        }

        long found(int from, int to) {
            return IntStream.range(from, to).filter(this::use).count();
        }
    }

    @Test
    void anEvictionDoesNotScanAllProtectedSlotsAgain() {
        int pinned = 50_000;
        int places = pinned + 1_000;
        TinyLfu policy = new TinyLfu();
        for (int slot = 0; slot < places; slot++) {
            policy.add(slot, slot);
        }
        // The pinned slots come before all others, because the others were used again.
        for (int slot = pinned; slot < places; slot++) {
            policy.touch(slot);
        }
        AtomicLong asked = new AtomicLong();
        int evictions = 900;
        for (int i = 0; i < evictions; i++) {
            int victim =
                    policy.victim(
                            slot -> {
                                asked.incrementAndGet();
                                return slot >= pinned;
                            });
            assertThat(victim).isGreaterThanOrEqualTo(pinned);
            policy.remove(victim);
        }
        assertThat(asked.get()).isLessThan(3L * places + 10L * evictions);
    }

    @Test
    void aScanDoesNotEvictFrequentlyUsedKeys() {
        Cache cache = new Cache(1_000);
        for (int epoch = 0; epoch < 3; epoch++) {
            cache.found(0, 500);
        }
        cache.found(10_000, 20_000);
        assertThat(cache.found(0, 500)).isGreaterThan(400);
    }

    @Test
    void epochsLargerThanTheCacheHitMoreThanHalfOfTheKeys() {
        Cache cache = new Cache(1_000);
        cache.found(0, 1_250);
        cache.found(0, 1_250);
        assertThat(cache.found(0, 1_250)).isGreaterThan(700);
    }

    @Test
    void thePolicyEvictsKeysThatWereUsedOftenLongAgo() {
        Cache cache = new Cache(1_000);
        for (int epoch = 0; epoch < 10; epoch++) {
            cache.found(0, 900);
        }
        for (int epoch = 0; epoch < 40; epoch++) {
            cache.found(1_000, 1_900);
        }
        assertThat(cache.found(1_000, 1_900)).isGreaterThan(850);
    }

    @Test
    void thePolicyEvictsFormerlyProtectedSlotsLast() {
        int places = 1_000;
        int held = 100;
        TinyLfu policy = new TinyLfu();
        for (int slot = 0; slot < places; slot++) {
            policy.add(slot, slot);
        }
        // The first eviction sets the held slots aside. The others find that they may be evicted.
        policy.remove(policy.victim(slot -> slot >= held));
        long heldThatWent = 0;
        for (int i = 0; i < places / 2; i++) {
            int victim = policy.victim(_ -> true);
            policy.remove(victim);
            heldThatWent += victim < held ? 1 : 0;
        }
        assertThat(heldThatWent).isZero();
    }

    @Test
    void frequentKeysDisplaceKeysThatWereUsedTwiceLongAgo() {
        Cache cache = new Cache(1_000);
        for (int epoch = 0; epoch < 2; epoch++) {
            cache.found(0, 1_000);
        }
        // Slots used twice long ago are evicted for those used twice now.
        for (int key = 2_000; key < 2_150; key++) {
            for (int use = 0; use < 12; use++) {
                cache.use(key);
            }
        }
        assertThat(cache.found(2_000, 2_150)).isGreaterThan(140);
    }
}
