package dev.forebay.control.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.LakeReader;
import dev.forebay.lake.Listing;
import dev.forebay.lake.ReadMeter;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SourceProbeTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Listing.Page SOME =
            new Listing.Page(List.of(new LakeObject("p/a", 1, Instant.EPOCH, "e", null)), null);

    private final List<String> listed = new ArrayList<>();

    private SourceProbe probe(Listing listing, Duration timeout) {
        return new SourceProbe(
                new ListedLake(listing),
                new LakeCommands(Optional.of(URI.create("http://lake"))),
                Optional.of("own"),
                timeout);
    }

    private static Listing failing(ErrorCode code) {
        return (_, _) -> {
            throw new ForebayException(code, "as the lake says");
        };
    }

    @Test
    void theManifestBucketIsRefusedWithoutARequest() {
        SourceProbe probe = probe(failing(ErrorCode.LAKE_EMPTY), LONG);
        LakeSource all = LakeSource.parse("s3://lake/a/");

        for (LakeSource own :
                List.of(
                        LakeSource.parse("s3://own/a/"),
                        all.with(List.of(), List.of(), "s3://own/keys.txt"))) {
            assertThatThrownBy(() -> probe.check(own))
                    .hasMessageContaining("forebay.manifest-bucket");
        }
        assertThat(listed).isEmpty();
    }

    /** Accepts a source after a temporary failure, or if the bucket may be created later. */
    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"LAKE_DENIED", "LAKE_UNSUPPORTED", "LAKE_EMPTY", "LAKE_UNAVAILABLE"})
    void onlyAPermanentLakeErrorFailsTheCheck(ErrorCode code) {
        SourceProbe probe = probe(failing(code), LONG);
        LakeSource source = new LakeSource("bucket", "p/");
        if (code == ErrorCode.LAKE_DENIED || code == ErrorCode.LAKE_UNSUPPORTED) {
            assertThatThrownBy(() -> probe.check(source))
                    .isInstanceOfSatisfying(
                            ForebayException.class, e -> assertThat(e.code()).isEqualTo(code))
                    .hasMessage("as the lake says");
        } else {
            assertThat(probe.check(source)).hasValue(code + ": as the lake says");
        }
    }

    @Test
    void theCheckListsTheSourceAndTheListOfKeys() {
        SourceProbe probe = probe((_, _) -> SOME, LONG);
        LakeSource source =
                new LakeSource("bucket", "p/")
                        .with(List.of("train/**"), List.of(), "s3://lists/mine.txt");

        assertThat(probe.check(source)).isEmpty();

        assertThat(listed).containsExactly("bucket p/train", "lists mine.txt");
    }

    /** Accepts a source without objects, which may be mistyped. */
    @Test
    void theCheckReportsAMissingSourceOrList() {
        LakeSource source = new LakeSource("bucket", "p/");
        SourceProbe empty = probe((_, _) -> new Listing.Page(List.of(), null), LONG);
        assertThat(empty.check(source))
                .hasValue(
                        "the source has no object yet: compare with 'aws s3 ls s3://bucket/p/ "
                                + "--endpoint-url http://lake'");

        Iterator<Listing.Page> pages = List.of(SOME, new Listing.Page(List.of(), null)).iterator();
        SourceProbe unlisted = probe((_, _) -> pages.next(), LONG);
        assertThat(unlisted.check(source.with(List.of(), List.of(), "s3://lists/mine.txt")))
                .hasValue("the object s3://lists/mine.txt does not exist yet");
    }

    /** For example, a page whose keys are all excluded. */
    @Test
    void anEmptyPageWithASuccessorIsNotAnEmptySource() {
        SourceProbe probe = probe((_, _) -> new Listing.Page(List.of(), "next"), LONG);
        assertThat(probe.check(new LakeSource("bucket", "p/"))).isEmpty();
    }

    @Test
    void theCheckOfASilentLakeTimesOutAndStops() throws InterruptedException {
        CountDownLatch stopped = new CountDownLatch(1);
        Listing hanging =
                (_, _) -> {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        stopped.countDown();
                    }
                    throw new ForebayException(ErrorCode.LAKE_UNAVAILABLE, "interrupted");
                };
        assertThat(probe(hanging, Duration.ofMillis(50)).check(new LakeSource("bucket", "p/")))
                .hasValue(
                        "Forebay did not check s3://bucket/p/, because the lake did not answer "
                                + "within 0 s");
        assertThat(stopped.await(1, TimeUnit.MINUTES)).isTrue();
    }

    private final class ListedLake implements LakeReader {

        private final Listing listing;

        ListedLake(Listing listing) {
            this.listing = listing;
        }

        @Override
        public Listing listing(String bucket, String prefix) {
            listed.add(bucket + " " + prefix);
            return listing;
        }

        @Override
        public void read(
                String bucket, LakeObject object, long offset, ByteBuffer target, ReadMeter meter) {
            throw new UnsupportedOperationException();
        }
    }
}
