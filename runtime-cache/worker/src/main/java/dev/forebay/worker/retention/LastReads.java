package dev.forebay.worker.retention;

import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers when a node last read each mounted manifest from this worker, across restarts.
 *
 * <p>Each time is the modification time of an empty file, written at most once per minute: a killed
 * worker forgets the last minute. Times come from the local clock and are reported as ages, so that
 * clocks need not agree. Safe for use by many threads.
 */
public final class LastReads {

    private static final Logger LOG = LoggerFactory.getLogger(LastReads.class);

    private static final long SAVED_EVERY_MILLIS = Duration.ofMinutes(1).toMillis();

    private final Path directory;
    private final InstantSource clock;
    private final Map<Digest, Times> times = new ConcurrentHashMap<>();

    /**
     * Unsynchronized on purpose: of two concurrent reads either may win, because their times hardly
     * differ.
     */
    private static final class Times {
        volatile long readMillis;
        volatile long savedMillis;
    }

    private LastReads(Path directory, InstantSource clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Opens the times in a directory, and creates the directory if it is absent.
     *
     * @throws ForebayException {@code UNAVAILABLE} if it cannot be read
     */
    public static LastReads open(Path directory, InstantSource clock) {
        LastReads reads = new LastReads(directory, clock);
        try {
            Files.createDirectories(directory);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    reads.load(file);
                }
            }
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "cannot read the times of reads in %s (%s): check the disk, and its permissions"
                            .formatted(directory, e),
                    e);
        }
        return reads;
    }

    private void load(Path file) throws IOException {
        try {
            Digest manifest = new Digest(file.getFileName().toString());
            long millis = Files.getLastModifiedTime(file).toMillis();
            Times known = times.computeIfAbsent(manifest, _ -> new Times());
            known.readMillis = millis;
            known.savedMillis = millis;
        } catch (ForebayException notADigest) {
            LOG.warn("Removing {}, which is not the time of a read", file);
            Files.delete(file);
        }
    }

    /** Records that a node reads this manifest now. Touches a file at most once per minute. */
    public void note(Digest manifest) {
        long now = clock.millis();
        Times of = times.computeIfAbsent(manifest, _ -> new Times());
        of.readMillis = now;
        if (Math.abs(now - of.savedMillis) >= SAVED_EVERY_MILLIS) {
            of.savedMillis = now;
            save(manifest, now);
        }
    }

    /** Returns the time since a node last read this manifest here, or empty if none has. */
    public Optional<Duration> ago(Digest manifest) {
        return Optional.ofNullable(times.get(manifest))
                .map(of -> Duration.ofMillis(Math.max(0, clock.millis() - of.readMillis)));
    }

    /** Forgets manifests that are certainly not mounted any more. */
    public void update(RegionView view) {
        if (view.hidesClaims()) {
            return;
        }
        Set<Digest> mounted =
                view.mounts().stream()
                        .map(Mount::manifest)
                        .map(ManifestRef::digest)
                        .collect(Collectors.toSet());
        for (Digest manifest : List.copyOf(times.keySet())) {
            if (!mounted.contains(manifest)) {
                times.remove(manifest);
                forget(manifest);
            }
        }
    }

    private void save(Digest manifest, long millis) {
        Path file = directory.resolve(manifest.hex());
        try {
            try {
                Files.createFile(file);
            } catch (FileAlreadyExistsException there) {
                // The file exists: only its time changes.
            }
            Files.setLastModifiedTime(file, FileTime.fromMillis(millis));
        } catch (IOException e) {
            LOG.warn(
                    "Cannot write the last read of {}; this worker loses it when it exits",
                    manifest,
                    e);
        }
    }

    private void forget(Digest manifest) {
        try {
            Files.deleteIfExists(directory.resolve(manifest.hex()));
        } catch (IOException e) {
            LOG.warn("Cannot remove the last read of {}", manifest, e);
        }
    }
}
