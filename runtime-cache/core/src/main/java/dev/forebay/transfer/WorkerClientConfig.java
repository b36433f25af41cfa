package dev.forebay.transfer;

import java.time.Duration;
import java.util.Optional;

/**
 * The bounds of a {@link WorkerClient}.
 *
 * @param connectTimeout for a TCP connection
 * @param readTimeout for a whole answer to a read of a range, also when the worker has to fill it
 *     first
 * @param firstByteTimeout for the beginning of an answer that needs no filling
 * @param fillTimeout for filling one chunk
 * @param dropTimeout for dropping a version
 * @param queryTimeout for coverage and status
 * @param maxRequests how many fills may be on their way at once, and how many other requests; more
 *     wait
 * @param token what to present to workers
 * @param authorities who may have signed the certificates of workers that speak TLS; if not said,
 *     those that the JVM trusts
 * @param ofWorker whether what it reads is for another worker's copies, and so no use of a version
 */
public record WorkerClientConfig(
        Duration connectTimeout,
        Duration readTimeout,
        Duration firstByteTimeout,
        Duration fillTimeout,
        Duration dropTimeout,
        Duration queryTimeout,
        int maxRequests,
        Optional<BearerToken> token,
        Optional<WorkerAuthorities> authorities,
        boolean ofWorker) {

    /**
     * 2 s to connect, 10 s a read and as much for its first byte, 2 min a fill, 10 min to drop a
     * version, 10 s a query, 64 fills and 64 others at once.
     */
    public static WorkerClientConfig defaults() {
        return new WorkerClientConfig(
                Duration.ofSeconds(2),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofMinutes(2),
                Duration.ofMinutes(10),
                Duration.ofSeconds(10),
                64,
                Optional.empty(),
                Optional.empty(),
                false);
    }

    public WorkerClientConfig withToken(Optional<BearerToken> token) {
        return new WorkerClientConfig(
                connectTimeout,
                readTimeout,
                firstByteTimeout,
                fillTimeout,
                dropTimeout,
                queryTimeout,
                maxRequests,
                token,
                authorities,
                ofWorker);
    }

    public WorkerClientConfig withAuthorities(Optional<WorkerAuthorities> authorities) {
        return new WorkerClientConfig(
                connectTimeout,
                readTimeout,
                firstByteTimeout,
                fillTimeout,
                dropTimeout,
                queryTimeout,
                maxRequests,
                token,
                authorities,
                ofWorker);
    }

    public WorkerClientConfig withReadTimeouts(Duration readTimeout, Duration firstByteTimeout) {
        return new WorkerClientConfig(
                connectTimeout,
                readTimeout,
                firstByteTimeout,
                fillTimeout,
                dropTimeout,
                queryTimeout,
                maxRequests,
                token,
                authorities,
                ofWorker);
    }

    /**
     * For a worker, of this region or through its gateway of another one: its own reads do not
     * count as reads of a version.
     */
    public WorkerClientConfig forWorker() {
        return new WorkerClientConfig(
                connectTimeout,
                readTimeout,
                firstByteTimeout,
                fillTimeout,
                dropTimeout,
                queryTimeout,
                maxRequests,
                token,
                authorities,
                true);
    }
}
