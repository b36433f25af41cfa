package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;

/** Compares the ledger with the lake's access log. Each request must be for one chunk. */
final class LedgerOfLake {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final RunningStack stack;
    private final int chunkBytes;

    LedgerOfLake(RunningStack stack, int chunkBytes) {
        this.stack = stack;
        this.chunkBytes = chunkBytes;
    }

    /**
     * Waits until the ledger has every request of the log. The ledger only grows, so a later excess
     * is an error and not a delay.
     *
     * @param dataset {@code namespace/name}
     * @param prefix the prefix of its objects
     * @param extra the number of requests that a killed worker may have recorded but not sent
     */
    void awaitAsLogged(String dataset, String prefix, int extra) throws Exception {
        int logged = stack.lake().countGets(prefix);
        // A worker records a request before it sends it, and the bytes after they have arrived.
        Await.until(
                "the ledger has all %d requests of %s".formatted(logged, dataset),
                TIMEOUT,
                () ->
                        fromLake(dataset, "requests") >= logged
                                && fromLake(dataset, "bytes") >= (long) logged * chunkBytes);
        assertThat(fromLake(dataset, "requests")).isBetween((long) logged, (long) logged + extra);
        assertThat(fromLake(dataset, "bytes"))
                .isEqualTo(fromLake(dataset, "requests") * chunkBytes);
    }

    /** Waits until the ledger has the bytes sent to readers, which it adds up every few seconds. */
    void awaitReadBytes(String dataset, long bytes) {
        Await.until(
                "the ledger has that readers got %d bytes of %s".formatted(bytes, dataset),
                TIMEOUT,
                () -> costs(dataset, "").at("/total/readers/bytes").asLong() >= bytes);
    }

    private long fromLake(String dataset, String figure) throws Exception {
        return costs(dataset, "").at("/total/lake/" + figure).asLong();
    }

    /**
     * Returns the costs of a dataset.
     *
     * @param more further query parameters, each after a {@code &}
     */
    JsonNode costs(String dataset, String more) throws Exception {
        return stack.api().get("/costs?dataset=" + dataset + more).expect(200).body();
    }
}
