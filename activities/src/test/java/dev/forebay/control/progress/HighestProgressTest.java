package dev.forebay.control.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.control.progress.RunningActivities.Work;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.Filling;
import dev.forebay.workflows.message.Residency.State;
import java.time.Instant;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HighestProgressTest {

    private static final RegionName US = new RegionName("us-1");
    private static final DatasetVersion VERSION = DatasetVersion.of("team", "digits", "v1");
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final long BYTES = 1_000_000;
    private static final long OBJECTS = 1_000;
    private static final ManifestRef MANIFEST =
            new ManifestRef("s3://f/m", new Digest("a".repeat(64)), OBJECTS, BYTES, 10);

    private final HighestProgress highWater = new HighestProgress();

    /** "Progress". */
    @Test
    void theProgressOfAFillNeverDecreasesOrCompletesEarly() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int fillings = 0; fillings < 200; fillings++) {
            Filling filling = new Filling(NOON.plusSeconds(fillings), 0);
            long done = 0;
            RegionProgress last = told(warming(0, 0, filling), Work.NONE);
            while (done < BYTES) {
                done = Math.min(BYTES, done + random.nextLong(BYTES / 5));
                // The workflow knows a part, an activity has reported more or has started again,
                // the catalogue lags behind, and missing bytes are filled again.
                long heard = random.nextLong(done + 1);
                long said = random.nextLong(BYTES);
                Work work = new Work(null, random.nextInt(3), said, said * OBJECTS / BYTES);
                RegionProgress next = told(warming(heard, heard * OBJECTS / BYTES, filling), work);
                assertThat(next.bytes())
                        .as("seed %d", seed)
                        .isBetween(last.bytes(), BYTES)
                        .isGreaterThanOrEqualTo(heard);
                assertThat(next.objects()).isBetween(last.objects(), OBJECTS);
                assertThat(next.percent()).isBetween(last.percent(), 99);
                assertThat(next.isMoving()).isTrue();
                last = next;
            }
            RegionProgress cached = told(residency(State.CACHED, BYTES, OBJECTS, null), Work.NONE);
            assertThat(cached.percent()).isEqualTo(100);
            assertThat(cached.bytes()).isEqualTo(BYTES);
            assertThat(cached.isMoving()).isFalse();
        }
    }

    @Test
    void aNewFillStartsItsOwnProgress() {
        told(warming(900, 9, new Filling(NOON, 0)), Work.NONE);
        RegionProgress next = told(warming(100, 1, new Filling(NOON.plusSeconds(1), 0)), Work.NONE);
        assertThat(next.bytes()).isEqualTo(100);
    }

    @Test
    void aWarmingVersionShowsAtMost99Percent() {
        assertThat(told(warming(BYTES - 1, 0, null), Work.NONE).percent()).isEqualTo(99);
        assertThat(told(warming(BYTES, 0, null), Work.NONE).percent()).isEqualTo(99);
        assertThat(RegionProgress.of(warming(0, 0, null), null).percent()).isZero();
    }

    private RegionProgress told(Residency residency, Work work) {
        return highWater.raised(VERSION, RegionProgress.of(residency, MANIFEST, work, NOON));
    }

    private static Residency warming(long bytes, long objects, @Nullable Filling filling) {
        return residency(State.WARMING, bytes, objects, filling);
    }

    private static Residency residency(
            State state, long bytes, long objects, @Nullable Filling filling) {
        return new Residency(US, state, bytes, 0, "/mnt/x", null, null, null, objects, filling, 0);
    }
}
