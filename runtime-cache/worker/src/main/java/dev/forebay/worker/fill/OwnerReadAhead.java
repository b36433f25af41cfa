package dev.forebay.worker.fill;

import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.thread.ThreadStart;
import dev.forebay.transfer.WorkerClient;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the owners of the next chunks of a file fill them, all at once, up to a fixed number. A
 * distant lake needs many requests in flight to keep a reader from waiting. The window moves with
 * the reader: each owner knows which of its chunks were filled ahead. The first read of such a
 * chunk starts one more fill at the end of the window.
 *
 * <p>A fill that finds no free permit is skipped. The reader then misses that chunk, and its miss
 * starts new fills ahead.
 */
public final class OwnerReadAhead implements ReadAhead {

    private static final Logger LOG = LoggerFactory.getLogger(OwnerReadAhead.class);

    /** Half of the fills that a worker admits, so that other fills find a place. */
    private static final int AT_ONCE = 32;

    /** The cost of forgetting a chunk is one read that waits. */
    private static final int MOST_REMEMBERED = 10_000;

    private final Supplier<RegionView> view;
    private final WorkerClient client;
    private final int chunks;
    private final Semaphore permits = new Semaphore(AT_ONCE);
    private final Set<ChunkId> underWay = ConcurrentHashMap.newKeySet();
    private final Set<ChunkId> unread = ConcurrentHashMap.newKeySet();

    /**
     * @param chunks the number of chunks to fill behind the one that is read; 0 disables it
     */
    public OwnerReadAhead(Supplier<RegionView> view, WorkerClient client, int chunks) {
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
    public void filledAhead(ChunkId chunk) {
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
        Runnable start = () -> Thread.ofVirtual().name("ahead").start(() -> fill(manifest, chunk));
        if (chunk.start() >= fileEnd || !underWay.add(chunk)) {
            return;
        }
        if (!permits.tryAcquire()) {
            underWay.remove(chunk);
            return;
        }
        if (!ThreadStart.attempt(start)) {
            end(chunk);
        }
    }

    private void end(ChunkId chunk) {
        permits.release();
        underWay.remove(chunk);
    }

    private void fill(Digest manifest, ChunkId chunk) {
        try {
            RegionView now = view.get();
            WorkerNode owner =
                    Placement.rank(chunk, now.workers()).stream()
                            .filter(worker -> now.live().contains(worker.id()))
                            .findFirst()
                            .orElseThrow(OwnerReadAhead::noLiveWorker);
            client.fillAhead(owner, manifest, chunk);
        } catch (ForebayException e) {
            // A reader that needs these bytes requests them itself and gets the error.
            LOG.debug("Cannot read chunk {} ahead: {}", chunk, e.getMessage());
        } finally {
            end(chunk);
        }
    }

    private static ForebayException noLiveWorker() {
        return new ForebayException(ErrorCode.UNAVAILABLE, "no worker of the region is live");
    }
}
