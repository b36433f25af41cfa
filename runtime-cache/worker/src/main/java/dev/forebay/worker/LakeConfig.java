package dev.forebay.worker;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Where the lake is, below {@code forebay.lake}; credentials come from the AWS default chain. */
@ConfigMapping(prefix = "forebay.lake")
public interface LakeConfig {

    /** The S3 endpoint; AWS's own of the region if not set. */
    Optional<URI> endpoint();

    /** The region that requests are signed for. */
    @WithDefault("us-east-1")
    String region();

    /** Whether the bucket is the first part of the path and not of the host name. */
    @WithDefault("true")
    boolean pathStyle();

    /** What gives a key of the lake for a web identity; AWS's own of the region if not set. */
    Optional<URI> stsEndpoint();

    /** Buckets that everybody may read: they are asked without credentials. */
    Optional<List<String>> anonymousBuckets();

    /** Buckets whose owner has each requester pay. */
    Optional<List<String>> requesterPaysBuckets();

    /** How long opening a connection may take. */
    @WithDefault("5s")
    Duration connectTimeout();

    /** How long an answer may pause. */
    @WithDefault("10s")
    Duration idleTimeout();

    /** How long one attempt may take, besides the transfer at the slowest rate. */
    @WithDefault("20s")
    Duration attemptTimeout();

    /** The slowest transfer that is not given up, in bytes per second. */
    @WithDefault("256K")
    MemorySize slowestRate();

    /** How often a request is tried in all. */
    @WithDefault("5")
    int attempts();

    /**
     * How many requests the workers of the region together may send to the lake in a second; each
     * live one takes an equal share, and less while the lake throttles.
     */
    @WithDefault("5000")
    int requestsPerSecond();
}
