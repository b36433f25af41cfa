package dev.forebay.fuse.nodecache;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.thread.Closing;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies cached packs in the background, slowly and repeatedly, and has damaged blocks fetched
 * again. No other code verifies what native views read. Thread-safe.
 */
final class PackScrubber implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PackScrubber.class);

    private final PackCache cache;
    private final Function<PackId, List<Digest>> versions;
    private final double nanosPerByte;
    private final Duration pause;
    private final Closing closing = new Closing();
    private final Thread thread = Thread.ofPlatform().daemon().name("scrub").unstarted(this::run);

    /**
     * @param versions returns the mounted versions that have a pack
     * @param bytesPerSecond the rate, more than 0
     * @param pause the delay before each round, including the first
     */
    PackScrubber(
            PackCache cache,
            Function<PackId, List<Digest>> versions,
            long bytesPerSecond,
            Duration pause) {
        this.cache = cache;
        this.versions = versions;
        this.nanosPerByte = 1e9 / bytesPerSecond;
        this.pause = pause;
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!closing.within(pause) && tryRound()) {
            LOG.debug("All packs were compared with their checksums");
        }
    }

    /** Runs a round; an exception ends only this round. */
    private boolean tryRound() {
        try {
            return round();
        } catch (RuntimeException | Error e) {
            LOG.error("A round ended early; the next one begins anew", e);
            return true;
        }
    }

    /** Verifies everything once; returns false if it was closed before the end. */
    boolean round() {
        List<PackId> packs =
                cache.packs().stream().sorted(Comparator.comparing(PackId::toString)).toList();
        for (PackId pack : packs) {
            for (int index = 0; index < cache.chunks(pack); index++) {
                long bytes = scrub(new ChunkId(pack, index));
                if (closing.within(Duration.ofNanos((long) (bytes * nanosPerByte)))) {
                    return false;
                }
            }
        }
        return true;
    }

    private long scrub(ChunkId chunk) {
        try {
            return cache.scrub(chunk, versions);
        } catch (ForebayException e) {
            LOG.warn("Chunk {} is left to its next reader: {}", chunk, e.getMessage());
            return 0;
        } catch (RuntimeException | Error e) {
            // A defect with one chunk must not keep the others from being verified.
            LOG.error("Chunk {} cannot be compared", chunk, e);
            return 0;
        }
    }

    @Override
    public void close() {
        closing.begin();
    }
}
