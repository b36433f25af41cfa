package dev.forebay.lake.s3;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How to talk to a lake.
 *
 * @param endpoint of the store; null for AWS itself
 * @param region that requests are signed for
 * @param pathStyle whether the bucket is in the path instead of the host name
 * @param stsEndpoint of the service that gives a key for a web identity; null for AWS's own of the
 *     region
 * @param connections how many requests run at the same time; others wait for up to {@code
 *     attemptTimeout}
 * @param connectTimeout for opening a connection
 * @param idleTimeout how long an answer may pause
 * @param attemptTimeout how long one attempt may take, not counting the transfer at {@code
 *     minBytesPerSecond}
 * @param minBytesPerSecond the slowest transfer that is not given up
 * @param attempts how often a request is tried in all, with growing pauses of up to 5 s between
 */
public record S3LakeConfig(
        @Nullable URI endpoint,
        String region,
        boolean pathStyle,
        @Nullable URI stsEndpoint,
        int connections,
        Duration connectTimeout,
        Duration idleTimeout,
        Duration attemptTimeout,
        long minBytesPerSecond,
        int attempts) {

    public S3LakeConfig {
        if (connections < 1 || attempts < 1 || minBytesPerSecond < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "connections, attempts and minBytesPerSecond of the lake must be at least 1");
        }
    }

    /**
     * The usual limits: 64 connections, 5 s to connect, 10 s of silence, 20 s an attempt beside 256
     * KiB/s, 5 attempts.
     */
    public static S3LakeConfig of(@Nullable URI endpoint, String region, boolean pathStyle) {
        return new S3LakeConfig(
                endpoint,
                region,
                pathStyle,
                null,
                64,
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(20),
                256 << 10,
                5);
    }

    /** The same, with a key for a web identity from there. */
    public S3LakeConfig withStsEndpoint(@Nullable URI address) {
        return new S3LakeConfig(
                endpoint,
                region,
                pathStyle,
                address,
                connections,
                connectTimeout,
                idleTimeout,
                attemptTimeout,
                minBytesPerSecond,
                attempts);
    }

    /** What an attempt that moves so many bytes may take. */
    Duration deadline(long bytes) {
        return attemptTimeout.plusMillis(bytes * 1000 / minBytesPerSecond);
    }
}
