package dev.forebay.transfer;

import java.time.Duration;
import java.util.Optional;

/**
 * Timeouts and limits of a {@link WorkerClient}.
 *
 * @param connectTimeout timeout of a TCP connection
 * @param readTimeout timeout of a whole answer to a read, even if the worker has to fill the range
 *     first
 * @param firstByteTimeout timeout of the first byte of an answer that needs no fill
 * @param fillTimeout timeout of a fill of one chunk
 * @param dropTimeout timeout of dropping a version
 * @param queryTimeout timeout of queries such as coverage and status
 * @param maxRequests the most concurrent fills, and the most other concurrent requests; more wait
 * @param token the token to present to workers
 * @param authorities the authorities to trust for workers with TLS; if absent, those of the JVM
 * @param ofWorker whether the client reads for another worker's copies, which is no use of a
 *     version
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
     * Returns the defaults: 2 s to connect, 10 s for a read and for its first byte, and 2 min for a
     * fill. A drop may take 10 min and a query 10 s. There are at most 64 fills and 64 other
     * requests at once.
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
     * Returns a copy for a worker, of this region or of another one through its gateway. The reads
     * of workers do not count as reads of a version.
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
