package dev.forebay.worker;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all chunks again and again, slowly, and drops those whose checksums are wrong; the next
 * reader fetches them anew. The store counts them.
 */
final class Scrubber implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    private final ChunkStore store;
    private final Duration perChunk;
    private final Duration pause;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;

    private Scrubber(ChunkStore store, Duration perChunk, Duration pause) {
        this.store = store;
        this.perChunk = perChunk;
        this.pause = pause;
        this.thread = Thread.ofVirtual().name("scrub").unstarted(this::run);
    }

    /**
     * Begins to scrub.
     *
     * @param bytesPerSecond how fast; 0 does nothing at all
     * @param pause how long to rest before each round, also the first
     */
    static Scrubber start(ChunkStore store, long bytesPerSecond, Duration pause) {
        long nanos = bytesPerSecond == 0 ? 0 : (long) (1e9 * ChunkId.CHUNK_BYTES / bytesPerSecond);
        Scrubber scrubber = new Scrubber(store, Duration.ofNanos(nanos), pause);
        if (bytesPerSecond > 0) {
            scrubber.thread.start();
        }
        return scrubber;
    }

    private void run() {
        while (!closedWithin(pause)) {
            for (PackId pack : store.packs()) {
                for (ChunkId chunk : store.chunks(pack)) {
                    verify(chunk);
                    if (closedWithin(perChunk)) {
                        return;
                    }
                }
            }
        }
    }

    private void verify(ChunkId chunk) {
        try {
            if (store.verify(chunk) == ChunkStore.Verdict.DROPPED) {
                LOG.warn("Chunk {} was damaged on disk and is dropped", chunk);
            }
        } catch (RuntimeException e) {
            LOG.warn("Cannot verify chunk {}", chunk, e);
        }
    }

    private boolean closedWithin(Duration time) {
        try {
            return closing.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    @Override
    public void close() {
        closing.countDown();
    }
}
