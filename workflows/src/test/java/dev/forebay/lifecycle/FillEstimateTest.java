package dev.forebay.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.Filling;
import dev.forebay.workflows.message.Residency.State;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FillEstimateTest {

    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final ManifestRef MANIFEST =
            new ManifestRef("s3://f/m", new Digest("a".repeat(64)), 3, 1_000, 1);

    @Test
    void thePaceIsTheAverageOfTheCurrentFill() {
        assertThat(
                        FillEstimate.of(
                                warming(new Filling(NOON, 200)),
                                MANIFEST,
                                500,
                                NOON.plusSeconds(100)))
                .contains(new FillEstimate(3, Duration.ofSeconds(167)));
    }

    @Test
    void thePaceIsUnknownBeforeTheFillMakesProgress() {
        Residency warming = warming(new Filling(NOON, 200));
        assertThat(FillEstimate.of(warming, MANIFEST, 200, NOON.plusSeconds(100))).isEmpty();
        assertThat(FillEstimate.of(warming, MANIFEST, 500, NOON.plusMillis(999))).isEmpty();
        assertThat(FillEstimate.of(warming, MANIFEST, 500, NOON.minusSeconds(5))).isEmpty();
        assertThat(FillEstimate.of(warming, null, 500, NOON.plusSeconds(100))).isEmpty();
        assertThat(FillEstimate.of(warming(null), MANIFEST, 500, NOON.plusSeconds(100))).isEmpty();
    }

    @Test
    void thePaceIsUnknownBeforeEnoughBytesAreFilled() {
        long mib = 1 << 20;
        ManifestRef large =
                new ManifestRef("s3://f/m", new Digest("a".repeat(64)), 3, 1_000 * mib, 125);
        Residency warming = warming(new Filling(NOON, 0));
        assertThat(FillEstimate.of(warming, large, 8 * mib - 1, NOON.plusSeconds(8))).isEmpty();
        assertThat(FillEstimate.of(warming, large, 8 * mib, NOON.plusSeconds(8)))
                .contains(new FillEstimate(mib, Duration.ofSeconds(992)));
    }

    @Test
    void theRemainingTimeIsZeroWhenAllBytesAreFilled() {
        assertThat(
                        FillEstimate.of(
                                warming(new Filling(NOON, 0)),
                                MANIFEST,
                                1_000,
                                NOON.plusSeconds(10)))
                .contains(new FillEstimate(100, Duration.ZERO));
    }

    private static Residency warming(@Nullable Filling filling) {
        return new Residency(
                new RegionName("us-1"), State.WARMING, 0, 0, null, null, null, null, 0, filling, 0);
    }
}
