package dev.forebay.manifest.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ManifestPrefetchTest {

    private static final long TIMEOUT_SECONDS = 30;
    private static final ManifestRef ONE = manifest('1');
    private static final ManifestRef OTHER = manifest('2');

    /** The manifests that were requested, in order. */
    private final BlockingQueue<ManifestRef> asked = new LinkedBlockingQueue<>();

    private final Set<ManifestRef> there = ConcurrentHashMap.newKeySet();

    private static ManifestRef manifest(char digit) {
        Digest digest = new Digest(String.valueOf(digit).repeat(64));
        return new ManifestRef("s3://m/manifests/" + digest + ".sqlite", digest, 3, 30, 1);
    }

    private void bring(ManifestRef ref) {
        asked.add(ref);
        if (!there.contains(ref)) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker");
        }
    }

    private @Nullable ManifestRef nextAsked() throws InterruptedException {
        return asked.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void fetchesEachManifestOnceAndRetriesFailures() throws Exception {
        there.add(ONE);
        try (ManifestPrefetch ahead = new ManifestPrefetch(this::bring, Duration.ofMillis(1))) {
            ahead.update(Set.of(ONE));
            assertThat(nextAsked()).isEqualTo(ONE);
            ahead.update(Set.of(ONE, OTHER));
            assertThat(nextAsked()).isEqualTo(OTHER);
            assertThat(nextAsked()).as("the fetch failed").isEqualTo(OTHER);

            there.add(OTHER);
            ManifestRef last = manifest('3');
            ahead.update(Set.of(ONE, OTHER, last));
            ManifestRef next = nextAsked();
            while (OTHER.equals(next)) {
                next = nextAsked();
            }
            assertThat(next).as("fetched manifests are not requested again").isEqualTo(last);
        }
    }

    @Test
    void aNewManifestDoesNotWaitForARetry() throws Exception {
        try (ManifestPrefetch ahead = new ManifestPrefetch(this::bring, Duration.ofHours(1))) {
            ahead.update(Set.of(ONE));
            assertThat(nextAsked()).isEqualTo(ONE);

            ahead.update(Set.of(ONE, OTHER));

            assertThat(nextAsked()).isEqualTo(OTHER);
        }
    }

    @Test
    void anErrorForOneManifestDoesNotStopTheOthers() throws Exception {
        Consumer<ManifestRef> bring =
                ref -> {
                    asked.add(ref);
                    if (ref.equals(ONE)) {
                        throw new InternalError("simulated");
                    }
                };
        try (ManifestPrefetch ahead = new ManifestPrefetch(bring, Duration.ofHours(1))) {
            ahead.update(Set.of(ONE));
            assertThat(nextAsked()).isEqualTo(ONE);

            ahead.update(Set.of(ONE, OTHER));

            assertThat(nextAsked()).isEqualTo(OTHER);
        }
    }
}
