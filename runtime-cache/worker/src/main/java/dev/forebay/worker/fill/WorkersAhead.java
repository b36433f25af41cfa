package dev.forebay.worker.fill;

import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.WorkerClient;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the chunks behind the one that is read filled by their owners, at most so many, and all at
 * once: the farther away the lake is, the more answers must be on their way for the reader not to
 * wait. The window moves on with the reader: each owner knows which of its chunks were brought
 * ahead, and the first read of one has one more brought at the window's end.
 *
 * <p>What finds no free turn is left out, for its reader asks himself, and then again for what is
 * behind it.
 */
public final class WorkersAhead implements Ahead {

    private static final Logger LOG = LoggerFactory.getLogger(WorkersAhead.class);

    /** Half of what workers let in of fills, so that others find a place, too. */
    private static final int AT_ONCE = 32;

    /** What is forgotten is one chunk for which a reader waits. */
    private static final int MOST_REMEMBERED = 10_000;

    private final Supplier<RegionView> view;
    private final WorkerClient client;
    private final int chunks;
    private final Semaphore turns = new Semaphore(AT_ONCE);
    private final Set<ChunkId> underWay = ConcurrentHashMap.newKeySet();
    private final Set<ChunkId> unread = ConcurrentHashMap.newKeySet();

    /**
     * @param chunks how many are brought behind the one that is read; 0 brings none
     */
    public WorkersAhead(Supplier<RegionView> view, WorkerClient client, int chunks) {
        this.view = view;
        this.client = client;
        this.chunks = chunks;
    }

    @Override
    public void missed(Digest manifest, ChunkId chunk, long fileEnd) {
        for (int i = 1; i <= chunks; i++) {
            begin(manifest, new ChunkId(chunk.pack(), chunk.index() + i), fileEnd);
        }
    }

    @Override
    public void reached(Digest manifest, ChunkId chunk, long fileEnd) {
        if (chunks > 0) {
            begin(manifest, new ChunkId(chunk.pack(), chunk.index() + chunks), fileEnd);
        }
    }

    @Override
    public void broughtAhead(ChunkId chunk) {
        if (unread.size() >= MOST_REMEMBERED) {
            unread.clear();
        }
        unread.add(chunk);
    }

    @Override
    public boolean firstRead(ChunkId chunk) {
        return unread.remove(chunk);
    }

    private void begin(Digest manifest, ChunkId chunk, long fileEnd) {
        if (chunk.start() >= fileEnd || !underWay.add(chunk)) {
            return;
        }
        if (!turns.tryAcquire()) {
            underWay.remove(chunk);
            return;
        }
        try {
            Thread.ofVirtual().name("ahead").start(() -> bring(manifest, chunk));
        } catch (OutOfMemoryError noThread) {
            end(chunk);
        }
    }

    private void end(ChunkId chunk) {
        turns.release();
        underWay.remove(chunk);
    }

    private void bring(Digest manifest, ChunkId chunk) {
        try {
            RegionView now = view.get();
            WorkerNode owner =
                    Placement.rank(chunk, now.workers()).stream()
                            .filter(worker -> now.live().contains(worker.id()))
                            .findFirst()
                            .orElseThrow(WorkersAhead::nobody);
            client.fillAhead(owner, manifest, chunk);
        } catch (ForebayException e) {
            // Whoever needs these bytes asks for them, and hears why they cannot be had.
            LOG.debug("Brings nothing of chunk {} ahead: {}", chunk, e.getMessage());
        } finally {
            end(chunk);
        }
    }

    private static ForebayException nobody() {
        return new ForebayException(ErrorCode.UNAVAILABLE, "no worker of the region is live");
    }
}
