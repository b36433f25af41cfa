package dev.forebay.manifest.cache;

import dev.forebay.manifest.Digests;
import dev.forebay.model.Digest;
import dev.forebay.thread.ScrubLoop;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scrubs files: compares them repeatedly with the SHA-256 that they had when they were fetched.
 * Manifests and images are verified before use, but are then in use for days.
 */
public final class DigestScrubber implements ScrubLoop.Source<Map.Entry<Digest, Path>> {

    private static final Logger LOG = LoggerFactory.getLogger(DigestScrubber.class);
    private static final int PIECE = 1 << 20;

    private final Supplier<Map<Digest, Path>> files;
    private final Consumer<Digest> damaged;

    private DigestScrubber(Supplier<Map<Digest, Path>> files, Consumer<Digest> damaged) {
        this.files = files;
        this.damaged = damaged;
    }

    /**
     * Starts a scrubber that runs until it is closed.
     *
     * @param what what the files are, for the thread's name
     * @param files the files in use, by their expected digests
     * @param damaged receives the digest of each file that has other bytes or cannot be read
     * @param bytesPerSecond the rate; 0 disables scrubbing
     * @param pause the wait before each round, including the first
     */
    public static ScrubLoop<?> start(
            String what,
            Supplier<Map<Digest, Path>> files,
            Consumer<Digest> damaged,
            long bytesPerSecond,
            Duration pause) {
        ScrubLoop<?> loop =
                new ScrubLoop<>(
                        Thread.ofPlatform().daemon().name("scrub-" + what),
                        new DigestScrubber(files, damaged),
                        bytesPerSecond,
                        pause);
        if (bytesPerSecond > 0) {
            loop.startAfterPause();
        }
        return loop;
    }

    @Override
    public Iterator<Map.Entry<Digest, Path>> items() {
        return files.get().entrySet().iterator();
    }

    @Override
    public void verify(Map.Entry<Digest, Path> item, ScrubLoop.Pace pace) {
        Digest expected = item.getKey();
        Path file = item.getValue();
        try {
            boolean right = digest(file, pace).map(expected::equals).orElse(true);
            if (!right) {
                LOG.warn(
                        "{} is damaged on disk, and is discarded: check the disk if this repeats",
                        file);
                damaged.accept(expected);
            }
        } catch (NoSuchFileException gone) {
            LOG.debug("{} is no longer in use", file);
        } catch (IOException e) {
            LOG.warn("Cannot read {}, so it is discarded: check the disk if this repeats", file, e);
            damaged.accept(expected);
        }
    }

    /** Returns empty if the scrubber was closed meanwhile. */
    private static Optional<Digest> digest(Path file, ScrubLoop.Pace pace) throws IOException {
        MessageDigest digest = Digests.sha256();
        byte[] piece = new byte[PIECE];
        try (InputStream in = Files.newInputStream(file)) {
            for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                digest.update(piece, 0, n);
                if (pace.endsAfter(n)) {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(Digests.of(digest));
    }
}
