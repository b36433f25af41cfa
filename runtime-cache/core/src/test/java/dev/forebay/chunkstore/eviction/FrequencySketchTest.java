package dev.forebay.chunkstore.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FrequencySketchTest {
    private final FrequencySketch sketch = new FrequencySketch();

    private void count(int key, int times, int keys) {
        for (int i = 0; i < times; i++) {
            sketch.count(key, keys);
        }
    }

    @Test
    void theFrequencyOfAKeyStopsAt15() {
        sketch.ensure(1_000);
        assertThat(sketch.frequency(7)).isZero();
        count(7, 5, 1_000);
        assertThat(sketch.frequency(7)).isEqualTo(5);
        count(7, 100, 1_000);
        assertThat(sketch.frequency(7)).isEqualTo(15);
    }

    @Test
    void fewUncountedKeysHaveAFrequency() {
        sketch.ensure(1_000);
        for (int key = 0; key < 1_000; key++) {
            sketch.count(key, 1_000);
        }
        long mistaken = 0;
        for (int key = 1_000; key < 11_000; key++) {
            mistaken += sketch.frequency(key) > 0 ? 1 : 0;
        }
        assertThat(mistaken).isLessThan(1_000);
    }

    @Test
    void theSketchKeepsItsCountsWhenItGrows() {
        count(7, 5, 8);
        sketch.ensure(100_000);
        assertThat(sketch.frequency(7)).isEqualTo(5);
    }

    @Test
    void theSketchHalvesItsCountsAfterTenUsesOfEachKey() {
        sketch.ensure(1_000);
        count(7, 12, 1_000);
        int others = 10 * 1_000 - 12 - 1;
        for (int i = 0; i < others; i++) {
            sketch.count(10_000 + i % 100, 1_000);
        }
        assertThat(sketch.frequency(7)).isEqualTo(12);
        sketch.count(10_000, 1_000);
        assertThat(sketch.frequency(7)).isEqualTo(6);
    }
}
