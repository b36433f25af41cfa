package dev.forebay.control.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.control.progress.RunningActivities.Work;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.Filling;
import dev.forebay.workflows.message.Residency.State;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RegionProgressTest {

    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final ManifestRef MANIFEST =
            new ManifestRef("s3://f/m", new Digest("a".repeat(64)), 100, 1_000, 10);

    @Test
    void progressAddsTheRunningBatchToTheFinishedOnes() {
        RegionProgress progress = progress(300, 30, new Filling(NOON, 0, 300, 30), 200, 20);
        assertThat(progress.bytes()).isEqualTo(500);
        assertThat(progress.objects()).isEqualTo(50);
    }

    @Test
    void aResumedFillDoesNotCountPresentBytesTwice() {
        RegionProgress resumed = progress(900, 90, new Filling(NOON, 900, 0, 0), 100, 10);
        assertThat(resumed.bytes()).isEqualTo(900);
        assertThat(resumed.objects()).isEqualTo(90);

        RegionProgress beyond = progress(900, 90, new Filling(NOON, 900, 850, 85), 70, 7);
        assertThat(beyond.bytes()).isEqualTo(920);
        assertThat(beyond.objects()).isEqualTo(92);
    }

    @Test
    void progressWithoutAFillComesFromTheWorkflow() {
        assertThat(progress(900, 90, null, 0, 0).bytes()).isEqualTo(900);
    }

    private static RegionProgress progress(
            long bytes, long objects, @Nullable Filling filling, long workBytes, long workObjects) {
        Residency warming =
                new Residency(
                        new RegionName("us-1"),
                        State.WARMING,
                        bytes,
                        0,
                        "/mnt/x",
                        null,
                        null,
                        null,
                        objects,
                        filling,
                        0);
        return RegionProgress.of(
                warming, MANIFEST, new Work(null, 0, workBytes, workObjects), NOON);
    }
}
