package dev.forebay.worker;

import dev.forebay.settings.InRange;
import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Settings of the lake, below {@code forebay.lake}. Credentials come from the AWS default chain.
 */
@ConfigMapping(prefix = "forebay.lake")
public interface LakeConfig {

    /** The S3 endpoint. Default: the AWS endpoint of the region. */
    Optional<URI> endpoint();

    /** The region that requests are signed for. */
    @WithDefault("us-east-1")
    String region();

    /** True if the bucket is part of the path and not of the host name. */
    @WithDefault("true")
    boolean pathStyle();

    /**
     * The endpoint that exchanges a web identity for credentials. Default: the AWS endpoint of the
     * region.
     */
    Optional<URI> stsEndpoint();

    /** Public buckets, which are read without credentials. */
    Optional<List<String>> anonymousBuckets();

    /** Buckets whose owner makes each requester pay. */
    Optional<List<String>> requesterPaysBuckets();

    /** The timeout for opening a connection. */
    @WithDefault("5s")
    Duration connectTimeout();

    /** The longest pause within a response. */
    @WithDefault("10s")
    Duration idleTimeout();

    /** The timeout of one attempt, in addition to the transfer time at the slowest rate. */
    @WithDefault("20s")
    Duration attemptTimeout();

    /** The slowest accepted transfer, in bytes per second. */
    @WithDefault("256K")
    @InRange(min = "1", max = ConfigCheck.MOST_BYTES)
    MemorySize slowestRate();

    /** The number of attempts per request, including the first. */
    @WithDefault("5")
    int attempts();

    /**
     * The requests per second of all workers of the region together. Each live worker takes an
     * equal share, and less while the lake throttles.
     */
    @WithDefault("5000")
    @InRange(min = "1")
    int requestsPerSecond();
}
