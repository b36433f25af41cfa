package dev.forebay.worker;

import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import io.quarkus.runtime.configuration.MemorySize;
import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Refuses invalid settings at start, with a message that names the property. */
final class ConfigCheck {

    private static final String PREFIX = "forebay.worker.";
    private static final int LEAST_CHUNKS = 4;

    /** The limit of settings whose unit takes a thread, a connection or a buffer. */
    private static final int MOST_AT_ONCE = 10_000;

    /** The limit of settings whose unit is only counted or remembered. */
    private static final int MOST = 1_000_000_000;

    /** Sums of several such sizes still fit into a long. */
    private static final BigInteger MOST_BYTES = BigInteger.ONE.shiftLeft(60);

    /** Long enough for "never", and still a long in nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(10_000);

    /** Sockets take their timeout in milliseconds as an int. */
    private static final Duration LONGEST_READ = Duration.ofDays(1);

    private ConfigCheck() {}

    /**
     * Checks all settings.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with the property, its value and the rule
     */
    static void check(WorkerConfig config) {
        int disks = config.directories().size();
        require(
                Set.copyOf(config.directories()).size() == disks,
                "directory",
                config.directories(),
                "must not name one twice");
        size(1, "capacity", config.capacity());
        long capacity = config.capacity().asLongValue();
        require(
                capacity >= (long) disks * LEAST_CHUNKS * ChunkId.CHUNK_BYTES,
                "capacity",
                capacity,
                "must be at least 32M, four chunks, for each directory");
        require(
                config.files() >= (long) disks * LEAST_CHUNKS && config.files() <= MOST,
                "files",
                config.files(),
                "must be at least 4 for each directory, and at most " + MOST);
        config.advertisedAddress().ifPresent(ConfigCheck::checkAddress);
        checkTls(config);

        between(1, MOST_AT_ONCE, "disk.calls", config.disk().calls());
        positive("disk.patience", config.disk().patience());

        between(1, MOST_AT_ONCE, "fill.concurrency", config.fill().concurrency());
        between(1, MOST, "fill.queue", config.fill().queue());
        between(1, MOST_AT_ONCE, "fill.lake-requests", config.fill().lakeRequests());
        between(
                1,
                MOST_AT_ONCE,
                "fill.lake-requests-per-chunk",
                config.fill().lakeRequestsPerChunk());
        between(0, MOST_AT_ONCE, "fill.ahead", config.fill().ahead());
        positive("fill.timeout", config.fill().timeout());
        notNegative("fill.changed-memory", config.fill().changedMemory());
        between(1, MOST, "fill.changed-memory-objects", config.fill().changedMemoryObjects());

        between(0, MOST_AT_ONCE, "peers.attempts", config.peers().attempts());
        readTimeout("peers.timeout", config.peers().timeout());
        readTimeout("peers.first-byte", config.peers().firstByte());
        notNegative("peers.back-off", config.peers().backOff());

        between(1, MOST_AT_ONCE, "siblings.concurrency", config.siblings().concurrency());
        readTimeout("siblings.timeout", config.siblings().timeout());
        readTimeout("siblings.first-byte", config.siblings().firstByte());
        notNegative("siblings.back-off", config.siblings().backOff());

        between(1, MOST_AT_ONCE, "requests.concurrency", config.requests().concurrency());
        between(1, MOST_AT_ONCE, "requests.fill-concurrency", config.requests().fillConcurrency());
        between(0, MOST, "requests.queue", config.requests().queue());
        positive("requests.retry-after", config.requests().retryAfter());

        size(0, "scrub.bytes-per-second", config.scrub().bytesPerSecond());
        positive("scrub.pause", config.scrub().pause());
        positive("orphans.interval", config.orphans().interval());
        size(0, "orphans.bytes-per-second", config.orphans().bytesPerSecond());
        positive("accounts.interval", config.accounts().interval());
        positive("drain.timeout", config.drain().timeout());
        size(1, "drain.bytes-per-second", config.drain().bytesPerSecond());
        notNegative("drain.on-stop", config.drain().onStop());
        between(1, MOST, "manifests.open", config.manifests().open());
        size(1, "manifests.capacity", config.manifests().capacity());
        size(1, "images.capacity", config.images().capacity());
    }

    /**
     * Checks the first directory, which the worker cannot do without. Other directories that are
     * unusable do not prevent the start.
     */
    static void checkHome(Path home) {
        try {
            Files.createDirectories(home);
            require(
                    Files.isWritable(home),
                    "directory",
                    home,
                    "must be a directory that can be written to");
        } catch (IOException e) {
            require(false, "directory", home, "must be a directory that can be made: " + e);
        }
    }

    private static void checkAddress(URI address) {
        String scheme = address.getScheme();
        require(
                ("http".equals(scheme) || "https".equals(scheme))
                        && address.getHost() != null
                        && address.getPort() > 0,
                "advertised-address",
                address,
                "must have the form http://host:port");
    }

    /**
     * Checks only which settings are present. The code that reads the files checks their contents.
     */
    private static void checkTls(WorkerConfig config) {
        config.tls().certificate().ifPresent(_ -> requireSet("tls.key", config.tls().key()));
        config.tls()
                .key()
                .ifPresent(_ -> requireSet("tls.certificate", config.tls().certificate()));
        config.advertisedAddress()
                .filter(_ -> config.tls().certificate().isPresent())
                .ifPresent(
                        address ->
                                require(
                                        "https".equals(address.getScheme()),
                                        "advertised-address",
                                        address,
                                        "must be https for a worker with a certificate"));
    }

    private static void requireSet(String property, Optional<Path> file) {
        require(
                file.isPresent(),
                property,
                "not set",
                "must be, for certificate and key go together");
    }

    private static void between(int least, int most, String property, int value) {
        require(
                value >= least && value <= most,
                property,
                value,
                "must be at least %d, and at most %d".formatted(least, most));
    }

    private static void size(long least, String property, MemorySize value) {
        long _ = bytes(least, PREFIX + property, value);
    }

    /**
     * Returns a size in bytes.
     *
     * @param setting the full name of the property
     * @throws ForebayException {@code INVALID_ARGUMENT} if it is less than {@code least} or more
     *     than 1 EiB
     */
    static long bytes(long least, String setting, MemorySize value) {
        BigInteger bytes = value.asBigInteger();
        if (bytes.compareTo(BigInteger.valueOf(least)) < 0 || bytes.compareTo(MOST_BYTES) > 0) {
            throw refusal(setting, bytes, "must be at least %d, and at most 1E".formatted(least));
        }
        return bytes.longValueExact();
    }

    private static void positive(String property, Duration value) {
        positive(LONGEST, property, value);
    }

    private static void readTimeout(String property, Duration value) {
        positive(LONGEST_READ, property, value);
    }

    private static void positive(Duration longest, String property, Duration value) {
        require(
                value.isPositive() && value.compareTo(longest) <= 0,
                property,
                Seconds.of(value),
                "must be more than nothing, and at most %dd".formatted(longest.toDays()));
    }

    private static void notNegative(String property, Duration value) {
        require(
                !value.isNegative() && value.compareTo(LONGEST) <= 0,
                property,
                Seconds.of(value),
                "must not be negative, and at most %dd".formatted(LONGEST.toDays()));
    }

    private static void require(boolean holds, String property, Object value, String rule) {
        if (!holds) {
            throw refusal(PREFIX + property, value, rule);
        }
    }

    private static ForebayException refusal(String setting, Object value, String rule) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT, "%s is %s: it %s".formatted(setting, value, rule));
    }
}
