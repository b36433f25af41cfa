package dev.forebay.worker.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LastReadsTest {

    private static final Digest A = new Digest("a".repeat(64));
    private static final Digest B = new Digest("b".repeat(64));

    @TempDir Path directory;
    private Instant now = Instant.parse("2026-11-20T12:00:00Z");
    private LastReads reads;

    @BeforeEach
    void open() {
        reads = LastReads.open(directory.resolve("reads"), () -> now);
    }

    @Test
    void agoReturnsTheAgeOfTheLastRead() {
        assertThat(reads.ago(A)).isEmpty();
        reads.note(A);
        pass(Duration.ofSeconds(90));
        assertThat(reads.ago(A)).contains(Duration.ofSeconds(90));
        assertThat(reads.ago(B)).isEmpty();
    }

    @Test
    void aRestartForgetsAtMostTheLastMinute() {
        reads.note(A);
        pass(Duration.ofSeconds(59));
        reads.note(A);
        open();
        assertThat(reads.ago(A)).contains(Duration.ofSeconds(59));

        reads.note(A);
        pass(Duration.ofSeconds(61));
        reads.note(A);
        open();
        assertThat(reads.ago(A)).contains(Duration.ZERO);
    }

    @Test
    void aClockThatIsSetBackCausesNoNegativeAge() {
        reads.note(A);
        pass(Duration.ofHours(-1));
        assertThat(reads.ago(A)).contains(Duration.ZERO);
        reads.note(A);
        open();
        pass(Duration.ofMinutes(5));
        assertThat(reads.ago(A)).contains(Duration.ofMinutes(5));
    }

    @Test
    void readsOfUnmountedVersionsAreForgotten() throws Exception {
        reads.note(A);
        reads.note(B);
        reads.update(mounted(B));
        assertThat(reads.ago(A)).isEmpty();
        assertThat(reads.ago(B)).isPresent();
        open();
        assertThat(reads.ago(A)).isEmpty();
        reads.update(mounted());
        try (var files = Files.list(directory.resolve("reads"))) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void filesThatAreNotNamedAfterADigestAreRemoved() throws Exception {
        Path stray = Files.createFile(directory.resolve("reads").resolve("stray"));
        open();
        assertThat(stray).doesNotExist();
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private static RegionView mounted(Digest... manifests) {
        return new RegionView(
                List.of(),
                Set.of(),
                Arrays.stream(manifests)
                        .map(
                                digest ->
                                        new Mount(
                                                DatasetVersion.of(
                                                        "ns", "data", digest.abbreviated()),
                                                new ManifestRef("s3://m/k", digest, 1, 1, 1),
                                                Mount.State.CACHED))
                        .toList(),
                List.of());
    }
}
