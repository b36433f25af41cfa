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
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the chunks behind the one that is read filled by their owners, so many at most. Only a few
 * files at a time; who comes when they are taken is left out, for his reader asks again.
 */
public final class WorkersAhead implements Ahead {

    private static final Logger LOG = LoggerFactory.getLogger(WorkersAhead.class);
    private static final int FILES_AT_ONCE = 8;

    private final Supplier<RegionView> view;
    private final WorkerClient client;
    private final int chunks;
    private final Set<ChunkId> underWay = ConcurrentHashMap.newKeySet();

    /**
     * @param chunks how many are brought behind the one that is read; 0 brings none
     */
    public WorkersAhead(Supplier<RegionView> view, WorkerClient client, int chunks) {
        this.view = view;
        this.client = client;
        this.chunks = chunks;
    }

    @Override
    public void wanted(Digest manifest, ChunkId chunk, long fileEnd) {
        if (chunks > 0 && underWay.size() < FILES_AT_ONCE && underWay.add(chunk)) {
            Thread.ofVirtual().name("ahead").start(() -> bring(manifest, chunk, fileEnd));
        }
    }

    private void bring(Digest manifest, ChunkId read, long end) {
        try {
            for (int i = 1; i <= chunks; i++) {
                ChunkId next = new ChunkId(read.pack(), read.index() + i);
                if (next.start() >= end) {
                    return;
                }
                RegionView now = view.get();
                WorkerNode owner =
                        Placement.rank(next, now.workers()).stream()
                                .filter(worker -> now.live().contains(worker.id()))
                                .findFirst()
                                .orElseThrow(WorkersAhead::nobody);
                client.fill(owner, manifest, next);
            }
        } catch (ForebayException e) {
            // Whoever needs these bytes asks for them, and hears why they cannot be had.
            LOG.debug("Brings no more of the file ahead: {}", e.getMessage());
        } finally {
            underWay.remove(read);
        }
    }

    private static ForebayException nobody() {
        return new ForebayException(ErrorCode.UNAVAILABLE, "no worker of the region is live");
    }
}
