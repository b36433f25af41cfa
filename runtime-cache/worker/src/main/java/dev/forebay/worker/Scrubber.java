package dev.forebay.worker;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import dev.forebay.thread.ScrubLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Stream;
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
final class Scrubber implements ScrubLoop.Source<ChunkId>, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    /** Saves the position after this many chunks. */
    private static final int NOTE_EVERY = 64;

    /** A running repair may take longer, and close() does not wait for it. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final Comparator<PackId> ORDER = Comparator.comparing(PackId::toString);

    private final ChunkStore store;
    private final Consumer<ChunkId> repair;
    private final Path note;
    private final ScrubLoop<ChunkId> loop;
    private final LongAdder bytes = new LongAdder();
    private final LongAdder rounds = new LongAdder();

    /** The position to start the next round at. Null: the first chunk. */
    private volatile @Nullable ChunkId behind;

    // Used by the thread of the loop only.
    private int verified;

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
        this.loop = new ScrubLoop<>(Thread.ofVirtual().name("scrub"), this, bytesPerSecond, pause);
    }

    /** Continues from the saved position, until closed. */
    void start() {
        behind = lastScrubbed();
        if (behind == null) {
            loop.startAfterPause();
        } else {
            loop.start();
        }
    }

    /**
     * Verifies all chunks behind a position, or all chunks.
     *
     * @return false if it was closed before the end
     */
    boolean round(@Nullable ChunkId from) {
        behind = from;
        return loop.round();
    }

    @Override
    public Iterator<ChunkId> items() {
        ChunkId last = behind;
        behind = null;
        Stream<ChunkId> chunks =
                sorted(store.packs()).stream()
                        .filter(pack -> last == null || ORDER.compare(pack, last.pack()) >= 0)
                        .flatMap(pack -> byIndex(store.chunks(pack)).stream())
                        .filter(chunk -> last == null || isBehind(chunk, last));
        return chunks.iterator();
    }

    private static boolean isBehind(ChunkId chunk, ChunkId last) {
        return !chunk.pack().equals(last.pack()) || chunk.index() > last.index();
    }

    @Override
    public void verify(ChunkId chunk, ScrubLoop.Pace pace) {
        int length = store.length(chunk);
        try {
            if (store.verify(chunk) == ChunkStore.Verdict.DROPPED) {
                LOG.warn(
                        "Dropping chunk {}, because it was damaged on disk or its file was "
                                + "missing",
                        chunk);
                repair.accept(chunk);
            }
        } finally {
            bytes.add(length);
            boolean ends = pace.endsAfter(length);
            if (++verified % NOTE_EVERY == 0 || ends) {
                write(chunk.toString());
            }
        }
    }

    @Override
    public void completed() {
        write("");
        rounds.increment();
    }

    private static List<PackId> sorted(List<PackId> packs) {
        return packs.stream().sorted(ORDER).toList();
    }

    /** Sorts by index. Each disk lists its chunks in order, but the combined list has no order. */
    private static List<ChunkId> byIndex(List<ChunkId> ofOnePack) {
        return ofOnePack.stream().sorted(Comparator.comparingInt(ChunkId::index)).toList();
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
            LOG.warn("Cannot read {}, so the scrub starts from the beginning", note, e);
            return null;
        }
    }

    private void write(String position) {
        try {
            Path whole = Files.writeString(note.resolveSibling("scrub.new"), position);
            Files.move(whole, note, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.warn("Cannot write the progress of the scrub to {}", note, e);
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
        loop.close(CLOSING);
    }
}
