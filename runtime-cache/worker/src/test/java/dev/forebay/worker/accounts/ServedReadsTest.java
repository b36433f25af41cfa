package dev.forebay.worker.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.Digest;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ServedReadsTest {

    private static final Digest MANIFEST = new Digest("a".repeat(64));

    /**
     * With the collecting thread, more threads than a small machine has cores: each is sometimes
     * preempted in the middle.
     */
    private static final int READERS = 2;

    private static final long READS = 2_000_000;
    private static final long BYTES = 3;

    private final ServedReads served = new ServedReads();
    private final CountDownLatch reading = new CountDownLatch(READERS);
    private long requests;
    private long bytes;

    private void read() {
        try {
            for (long i = 0; i < READS; i++) {
                served.add(MANIFEST, BYTES);
            }
        } finally {
            reading.countDown();
        }
    }

    private void take() {
        served.take(
                Set.of(MANIFEST),
                (_, moreRequests, moreBytes) -> {
                    requests += moreRequests;
                    bytes += moreBytes;
                });
    }

    /** Bytes that arrive after their request would go to a later account, or to none. */
    @Test
    void takeReturnsEachRequestWithItsBytesAndLosesNone() {
        for (int i = 0; i < READERS; i++) {
            Thread _ = Thread.ofPlatform().daemon().start(this::read);
        }
        long mostMissing = 0;
        while (reading.getCount() > 0) {
            take();
            mostMissing = Math.max(mostMissing, requests * BYTES - bytes);
        }
        take();

        assertThat(mostMissing).as("bytes that came after their requests").isZero();
        assertThat(requests).isEqualTo(READERS * READS);
        assertThat(bytes).isEqualTo(READERS * READS * BYTES);
    }
}
