package dev.forebay.manifest.cache;

import dev.forebay.manifest.Digests;
import dev.forebay.model.Digest;
import dev.forebay.thread.Closing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scrubs files: compares them repeatedly, at a limited rate, with the SHA-256 that they had when
 * they were fetched. Manifests and images are verified before use, but are then in use for days.
 * Thread-safe.
 */
public final class DigestScrubber implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DigestScrubber.class);
    private static final int PIECE = 1 << 20;

    private final Supplier<Map<Digest, Path>> files;
    private final Consumer<Digest> damaged;
    private final double nanosPerByte;
    private final Duration pause;
    private final Closing closing = new Closing();
    private final Thread thread;

    DigestScrubber(
            String what,
            Supplier<Map<Digest, Path>> files,
            Consumer<Digest> damaged,
            long bytesPerSecond,
            Duration pause) {
        this.files = files;
        this.damaged = damaged;
        this.nanosPerByte = 1e9 / bytesPerSecond;
        this.pause = pause;
        this.thread = Thread.ofPlatform().daemon().name("scrub-" + what).unstarted(this::run);
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
    public static DigestScrubber start(
            String what,
            Supplier<Map<Digest, Path>> files,
            Consumer<Digest> damaged,
            long bytesPerSecond,
            Duration pause) {
        DigestScrubber scrubber = new DigestScrubber(what, files, damaged, bytesPerSecond, pause);
        if (bytesPerSecond > 0) {
            scrubber.thread.start();
        }
        return scrubber;
    }

    private void run() {
        while (!closing.within(pause)) {
            try {
                round();
            } catch (RuntimeException | Error e) {
                LOG.error(
                        "A round of {} ended early; the next one begins anew", thread.getName(), e);
            }
        }
    }

    /** Compares all files once, or until the scrubber is closed. */
    void round() {
        files.get().forEach(this::compare);
    }

    private void compare(Digest expected, Path file) {
        try {
            boolean right = digest(file).map(expected::equals).orElse(true);
            if (!right) {
                LOG.warn("{} is not what it was when it came", file);
                damaged.accept(expected);
            }
        } catch (NoSuchFileException gone) {
            LOG.debug("{} is not in use any more", file);
        } catch (IOException e) {
            LOG.warn("{} cannot be read", file, e);
            damaged.accept(expected);
        } catch (RuntimeException | Error e) {
            // An error with one file must not prevent the comparison of the others.
            LOG.error("{} cannot be compared", file, e);
        }
    }

    /** Returns empty if the scrubber was closed meanwhile. */
    private Optional<Digest> digest(Path file) throws IOException {
        MessageDigest digest = Digests.sha256();
        byte[] piece = new byte[PIECE];
        try (InputStream in = Files.newInputStream(file)) {
            for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                digest.update(piece, 0, n);
                if (closing.within(Duration.ofNanos((long) (n * nanosPerByte)))) {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(Digests.of(digest));
    }

    @Override
    public void close() {
        closing.begin();
    }
}
