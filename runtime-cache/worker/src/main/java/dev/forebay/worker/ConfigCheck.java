package dev.forebay.worker;

import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Refuses settings that cannot work, at start, naming the property. */
final class ConfigCheck {

    private static final String PREFIX = "forebay.worker.";
    private static final int LEAST_CHUNKS = 4;

    private ConfigCheck() {}

    /**
     * Checks every bound.
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
        long capacity = config.capacity().asLongValue();
        require(
                capacity >= (long) disks * LEAST_CHUNKS * ChunkId.CHUNK_BYTES,
                "capacity",
                capacity,
                "must be at least 32M, four chunks, for each directory");
        require(
                config.files() >= (long) disks * LEAST_CHUNKS,
                "files",
                config.files(),
                "must be at least 4 for each directory");
        config.advertisedAddress().ifPresent(ConfigCheck::checkAddress);
        checkTls(config);

        atLeast(1, "disk.calls", config.disk().calls());
        positive("disk.patience", config.disk().patience());

        atLeast(1, "fill.concurrency", config.fill().concurrency());
        atLeast(1, "fill.queue", config.fill().queue());
        atLeast(1, "fill.lake-requests", config.fill().lakeRequests());
        atLeast(1, "fill.lake-requests-per-chunk", config.fill().lakeRequestsPerChunk());
        atLeast(0, "fill.ahead", config.fill().ahead());
        positive("fill.timeout", config.fill().timeout());
        notNegative("fill.changed-memory", config.fill().changedMemory());
        atLeast(1, "fill.changed-memory-objects", config.fill().changedMemoryObjects());

        atLeast(0, "peers.attempts", config.peers().attempts());
        positive("peers.timeout", config.peers().timeout());
        positive("peers.first-byte", config.peers().firstByte());
        notNegative("peers.back-off", config.peers().backOff());

        atLeast(1, "siblings.concurrency", config.siblings().concurrency());
        positive("siblings.timeout", config.siblings().timeout());
        positive("siblings.first-byte", config.siblings().firstByte());
        notNegative("siblings.back-off", config.siblings().backOff());

        atLeast(1, "requests.concurrency", config.requests().concurrency());
        atLeast(1, "requests.fill-concurrency", config.requests().fillConcurrency());
        atLeast(0, "requests.queue", config.requests().queue());
        positive("requests.retry-after", config.requests().retryAfter());

        long scrub = config.scrub().bytesPerSecond().asLongValue();
        require(scrub >= 0, "scrub.bytes-per-second", scrub, "must not be negative");
        positive("scrub.pause", config.scrub().pause());
        positive("orphans.interval", config.orphans().interval());
        long orphans = config.orphans().bytesPerSecond().asLongValue();
        require(orphans >= 0, "orphans.bytes-per-second", orphans, "must not be negative");
        positive("accounts.interval", config.accounts().interval());
        positive("drain.timeout", config.drain().timeout());
        long drain = config.drain().bytesPerSecond().asLongValue();
        require(drain >= 1, "drain.bytes-per-second", drain, "must be at least 1");
        notNegative("drain.on-stop", config.drain().onStop());
        atLeast(1, "manifests.open", config.manifests().open());
        long manifests = config.manifests().capacity().asLongValue();
        require(manifests >= 1, "manifests.capacity", manifests, "must be at least 1");
        long images = config.images().capacity().asLongValue();
        require(images >= 1, "images.capacity", images, "must be at least 1");
    }

    private static void checkAddress(URI address) {
        String scheme = address.getScheme();
        require(
                ("http".equals(scheme) || "https".equals(scheme)) && address.getHost() != null,
                "advertised-address",
                address,
                "must have the form http://host:port");
    }

    /** Whether the files can be used is for whoever reads them to say. */
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

    private static void atLeast(int least, String property, int value) {
        require(value >= least, property, value, "must be at least " + least);
    }

    private static void positive(String property, Duration value) {
        require(value.isPositive(), property, Seconds.of(value), "must be more than nothing");
    }

    private static void notNegative(String property, Duration value) {
        require(!value.isNegative(), property, Seconds.of(value), "must not be negative");
    }

    private static void require(boolean holds, String property, Object value, String rule) {
        if (!holds) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s%s is %s: it %s".formatted(PREFIX, property, value, rule));
        }
    }
}
