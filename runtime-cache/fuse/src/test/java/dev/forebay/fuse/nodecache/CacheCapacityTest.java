package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.chunkstore.eviction.EvictionPolicy;
import java.io.IOException;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class CacheCapacityTest {

    /** A policy without a victim, as when all packs are held. */
    private static final class Held implements EvictionPolicy {
        private int asked;
        private boolean fails;

        @Override
        public void add(int slot, int key) {}

        @Override
        public void touch(int slot) {}

        @Override
        public void remove(int slot) {}

        @Override
        public int victim(IntPredicate evictable) {
            asked++;
            if (fails) {
                throw new IllegalStateException("the disk");
            }
            return NONE;
        }
    }

    @Test
    void aReservationThatDoesNotFitSearchesForAVictimOnce() throws IOException {
        Held held = new Held();
        CacheCapacity space = new CacheCapacity(100, new CacheCounters(), held);
        assertThat(space.reserve(60)).isTrue();
        assertThat(held.asked).isZero();
        assertThat(space.reserve(60)).isFalse();
        assertThat(held.asked).isEqualTo(1);
        assertThat(space.used()).isEqualTo(60);
    }

    @Test
    void repeatedReservationsDoNotEachSearchForAVictim() throws Exception {
        Held held = new Held();
        CacheCapacity space = new CacheCapacity(100, new CacheCounters(), held);
        assertThat(space.reserve(100)).isTrue();
        long began = System.nanoTime();
        for (int i = 0; i < 1000; i++) {
            assertThat(space.reserve(1)).isFalse();
        }
        long seconds = (System.nanoTime() - began) / 1_000_000_000;
        assertThat(held.asked).isBetween(1, (int) seconds + 1);
    }

    /** Simulates a disk that refuses to free the victim. */
    @Test
    void aReservationIsReleasedWhenEvictionFails() throws IOException {
        Held held = new Held();
        CacheCapacity space = new CacheCapacity(100, new CacheCounters(), held);
        assertThat(space.reserve(60)).isTrue();
        held.fails = true;
        assertThatThrownBy(() -> space.reserve(60)).hasMessage("the disk");
        assertThat(space.used()).isEqualTo(60);
    }
}
