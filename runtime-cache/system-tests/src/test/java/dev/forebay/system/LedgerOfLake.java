package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;

/** Compares the ledger with the lake's own access log. Each request must be for one chunk. */
final class LedgerOfLake {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RunningStack stack;
    private final int chunkBytes;

    LedgerOfLake(RunningStack stack, int chunkBytes) {
        this.stack = stack;
        this.chunkBytes = chunkBytes;
    }

    /**
     * Waits until the ledger has every request of the log. Notes only grow, so anything beyond the
     * log is then wrong, and not late.
     *
     * @param dataset {@code namespace/name}
     * @param prefix of its objects
     * @param extra how many requests a killed worker may have written down but not sent
     */
    void awaitAsLogged(String dataset, String prefix, int extra) throws Exception {
        int logged = stack.lake().countGets(prefix);
        // A worker notes a request before it sends it, and the bytes when they have come.
        Await.until(
                "the ledger has all %d requests of %s".formatted(logged, dataset),
                PATIENCE,
                () ->
                        fromLake(dataset, "requests") >= logged
                                && fromLake(dataset, "bytes") >= (long) logged * chunkBytes);
        assertThat(fromLake(dataset, "requests")).isBetween((long) logged, (long) logged + extra);
        assertThat(fromLake(dataset, "bytes"))
                .isEqualTo(fromLake(dataset, "requests") * chunkBytes);
    }

    /** Waits until the ledger has what readers were sent, which it adds up every few seconds. */
    void awaitReadBytes(String dataset, long bytes) {
        Await.until(
                "the ledger has that readers got %d bytes of %s".formatted(bytes, dataset),
                PATIENCE,
                () -> costs(dataset, "").at("/total/readers/bytes").asLong() >= bytes);
    }

    private long fromLake(String dataset, String figure) throws Exception {
        return costs(dataset, "").at("/total/lake/" + figure).asLong();
    }

    /**
     * Returns the costs of a dataset.
     *
     * @param more further parameters of the query, each after a {@code &}
     */
    JsonNode costs(String dataset, String more) throws Exception {
        return stack.api().get("/costs?dataset=" + dataset + more).expect(200).body();
    }
}
