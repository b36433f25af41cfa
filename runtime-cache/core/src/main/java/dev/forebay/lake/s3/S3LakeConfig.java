package dev.forebay.lake.s3;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the connection to a lake. The constructor refuses invalid values and names the
 * setting, {@code forebay.lake.…}.
 *
 * @param endpoint the store's address; null for AWS itself
 * @param region the region for which requests are signed
 * @param pathStyle whether the bucket is in the path instead of the host name
 * @param stsEndpoint the service that provides a key for a web identity; null for AWS's service in
 *     the region
 * @param buckets the buckets that need other access than the rest
 * @param connections the maximum number of requests at once; further requests wait for up to {@code
 *     attemptTimeout}
 * @param connectTimeout for opening a connection
 * @param idleTimeout the longest pause within an answer
 * @param attemptTimeout the time limit of one attempt, in addition to the transfer time of its
 *     bytes at {@code minBytesPerSecond}
 * @param minBytesPerSecond the slowest transfer rate that does not time out
 * @param attempts how often a request is sent at most, with backoff of up to 5 s
 */
public record S3LakeConfig(
        @Nullable URI endpoint,
        String region,
        boolean pathStyle,
        @Nullable URI stsEndpoint,
        BucketAccess buckets,
        int connections,
        Duration connectTimeout,
        Duration idleTimeout,
        Duration attemptTimeout,
        long minBytesPerSecond,
        int attempts) {

    private static final String PREFIX = "forebay.lake.";
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final Set<String> SCHEMES = Set.of("http", "https");
    private static final int MOST_ATTEMPTS = 1_000;

    public S3LakeConfig {
        requireAddress("endpoint", endpoint);
        requireAddress("sts-endpoint", stsEndpoint);
        require(!region.isBlank(), "region", "'" + region + "'", "must not be blank");
        require(connections >= 1, "connections", connections, "must be at least 1");
        requireTime("connect-timeout", connectTimeout);
        requireTime("idle-timeout", idleTimeout);
        requireTime("attempt-timeout", attemptTimeout);
        require(minBytesPerSecond >= 1, "slowest-rate", minBytesPerSecond, "must be at least 1");
        require(
                attempts >= 1 && attempts <= MOST_ATTEMPTS,
                "attempts",
                attempts,
                "must be at least 1, and at most " + MOST_ATTEMPTS);
    }

    private static void requireAddress(String setting, @Nullable URI address) {
        require(
                address == null || (SCHEMES.contains(scheme(address)) && address.getHost() != null),
                setting,
                address,
                "must be a URI with scheme http or https, and host");
    }

    private static String scheme(URI address) {
        return String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
    }

    private static void requireTime(String setting, Duration time) {
        require(
                time.isPositive() && time.compareTo(LONGEST) <= 0,
                setting,
                Seconds.of(time),
                "must be more than 0 and at most 24h");
    }

    private static void require(
            boolean holds, String setting, @Nullable Object value, String rule) {
        if (!holds) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s%s is %s: it %s".formatted(PREFIX, setting, value, rule));
        }
    }

    /**
     * Returns the default limits: 64 connections, 5 s to connect, 10 s of silence, 20 s for an
     * attempt plus transfer at 256 KiB/s, and 5 attempts.
     */
    public static S3LakeConfig of(@Nullable URI endpoint, String region, boolean pathStyle) {
        return new S3LakeConfig(
                endpoint,
                region,
                pathStyle,
                null,
                BucketAccess.USUAL,
                64,
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(20),
                256 << 10,
                5);
    }

    /** Returns the same settings with another service that provides keys for web identities. */
    public S3LakeConfig withStsEndpoint(@Nullable URI address) {
        return with(address, buckets);
    }

    /** Returns the same settings with other bucket access. */
    public S3LakeConfig withBuckets(BucketAccess others) {
        return with(stsEndpoint, others);
    }

    private S3LakeConfig with(@Nullable URI sts, BucketAccess access) {
        return new S3LakeConfig(
                endpoint,
                region,
                pathStyle,
                sts,
                access,
                connections,
                connectTimeout,
                idleTimeout,
                attemptTimeout,
                minBytesPerSecond,
                attempts);
    }

    /** Returns the time limit of an attempt that transfers so many bytes. */
    Duration deadline(long bytes) {
        return attemptTimeout.plusMillis(bytes * 1000 / minBytesPerSecond);
    }
}
