package dev.forebay.worker;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import dev.forebay.thread.Closing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies the checksums of all chunks, slowly and in endless rounds. Drops damaged chunks and has
 * them filled again. The store counts them.
 *
 * <p>Goes by pack and index, and saves its position in a file. A worker that restarts often
 * therefore still finishes its rounds.
 */
final class Scrubber implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    /** Saves the position after this many chunks. */
    private static final int NOTE_EVERY = 64;

    /** A running repair may take longer, and close() does not wait for it. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final Comparator<PackId> ORDER = Comparator.comparing(PackId::toString);

    private final ChunkStore store;
    private final Consumer<ChunkId> repair;
    private final Path note;
    private final double nanosPerByte;
    private final Duration pause;
    private final LongAdder bytes = new LongAdder();
    private final LongAdder rounds = new LongAdder();
    private final Closing closing = new Closing();
    private final Thread thread = Thread.ofVirtual().name("scrub").unstarted(this::run);

    /**
     * @param repair fills a dropped chunk again
     * @param note the file with the saved position
     * @param bytesPerSecond the scrub rate, more than 0
     * @param pause the pause before each round, including the first
     */
    Scrubber(
            ChunkStore store,
            Consumer<ChunkId> repair,
            Path note,
            long bytesPerSecond,
            Duration pause) {
        this.store = store;
        this.repair = repair;
        this.note = note;
        this.nanosPerByte = 1e9 / bytesPerSecond;
        this.pause = pause;
    }

    /** Continues from the saved position, until closed. */
    void start() {
        thread.start();
    }

    private void run() {
        @Nullable ChunkId last = lastScrubbed();
        while ((last != null || !closing.within(pause)) && tryRound(last)) {
            last = null;
        }
    }

    /** Runs one round. A failure ends this round only. */
    private boolean tryRound(@Nullable ChunkId behind) {
        try {
            return round(behind);
        } catch (RuntimeException | Error e) {
            LOG.error("A round ended early; the next one begins anew", e);
            return true;
        }
    }

    /**
     * Verifies all chunks behind a position, or all chunks.
     *
     * @return false if it was closed before the end
     */
    boolean round(@Nullable ChunkId behind) {
        int sinceNote = 0;
        for (PackId pack : sorted(store.packs())) {
            int order = behind == null ? 1 : ORDER.compare(pack, behind.pack());
            if (order < 0) {
                continue;
            }
            for (ChunkId chunk : byIndex(store.chunks(pack))) {
                if (order == 0 && behind != null && chunk.index() <= behind.index()) {
                    continue;
                }
                int length = store.length(chunk);
                verify(chunk);
                bytes.add(length);
                if (++sinceNote % NOTE_EVERY == 0) {
                    write(chunk.toString());
                }
                if (closing.within(Duration.ofNanos((long) (nanosPerByte * length)))) {
                    write(chunk.toString());
                    return false;
                }
            }
        }
        write("");
        rounds.increment();
        return true;
    }

    private static List<PackId> sorted(List<PackId> packs) {
        return packs.stream().sorted(ORDER).toList();
    }

    /** Sorts by index. Each disk lists its chunks in order, but the combined list has no order. */
    private static List<ChunkId> byIndex(List<ChunkId> ofOnePack) {
        return ofOnePack.stream().sorted(Comparator.comparingInt(ChunkId::index)).toList();
    }

    private void verify(ChunkId chunk) {
        try {
            if (store.verify(chunk) == ChunkStore.Verdict.DROPPED) {
                LOG.warn(
                        "Chunk {} was damaged on disk, or its file was gone: it is dropped", chunk);
                repair.accept(chunk);
            }
        } catch (RuntimeException | Error e) {
            LOG.warn("Cannot verify or repair chunk {}", chunk, e);
        }
    }

    private @Nullable ChunkId lastScrubbed() {
        try {
            String[] last = Files.readString(note).split("/", 2);
            return last.length < 2
                    ? null
                    : new ChunkId(PackId.parse(last[0]), Integer.parseInt(last[1]));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException | RuntimeException e) {
            LOG.warn("Scrubbing begins anew: {} cannot be read", note, e);
            return null;
        }
    }

    private void write(String position) {
        try {
            Path whole = Files.writeString(note.resolveSibling("scrub.new"), position);
            Files.move(whole, note, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.warn("Cannot note in {} how far scrubbing has come", note, e);
        }
    }

    /** Returns the number of bytes verified. */
    long bytes() {
        return bytes.sum();
    }

    /** Returns the number of completed rounds. */
    long rounds() {
        return rounds.sum();
    }

    @Override
    public void close() {
        closing.begin();
        if (!thread.isAlive()) {
            return;
        }
        try {
            boolean _ = thread.join(CLOSING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
