package dev.forebay.worker;

import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.settings.SettingsCheck;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Refuses invalid settings at start, with a message that names the property. */
final class ConfigCheck {

    /** The limit of settings whose unit takes a thread, a connection or a buffer. */
    static final String MOST_AT_ONCE = "10000";

    /** The limit of settings whose unit is only counted or remembered. */
    static final String MOST = "1000000000";

    /** Sums of several such sizes still fit into a long. */
    static final String MOST_BYTES = "1E";

    /** Long enough for "never", and still a long in nanoseconds. */
    static final String LONGEST = "10000d";

    /** Sockets take their timeout in milliseconds as an int. */
    static final String LONGEST_READ = "1d";

    private static final int LEAST_CHUNKS = 4;

    private ConfigCheck() {}

    /**
     * Checks each setting, and then rules about several settings.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with the property, its value and the rule
     */
    static void check(WorkerConfig config, LakeConfig lake) {
        SettingsCheck.check(config, lake);
        int disks = config.directories().size();
        require(
                Set.copyOf(config.directories()).size() == disks,
                "directory",
                config.directories(),
                "must not contain duplicates");
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
    }

    /**
     * Checks the first directory, which the worker cannot do without. Other directories that are
     * unusable do not prevent the start.
     */
    static void checkHome(Path home) {
        try {
            Files.createDirectories(home);
            require(Files.isWritable(home), "directory", home, "must be a writable directory");
        } catch (IOException e) {
            require(false, "directory", home, "must be a directory, which cannot be created: " + e);
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
    static void checkTls(WorkerConfig config) {
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
                "must be set, because certificate and key belong together");
    }

    private static void require(boolean holds, String property, Object value, String rule) {
        if (!holds) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.worker.%s is %s: it %s".formatted(property, value, rule));
        }
    }
}
