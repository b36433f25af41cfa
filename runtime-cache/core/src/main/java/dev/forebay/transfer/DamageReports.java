package dev.forebay.transfer;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a worker that a chunk of its came damaged, so that it looks at it and mends it.
 *
 * <p>A worker sends bytes without looking at them, so only who receives them notices. Reports go
 * out beside the reader, who turns to another source: a few at once, none twice at a time, and one
 * too many is left out, for the next reader finds the damage again. Safe for use by many threads.
 */
public final class DamageReports {

    private static final Logger LOG = LoggerFactory.getLogger(DamageReports.class);
    private static final int AT_ONCE = 8;

    private final WorkerClient client;
    private final Semaphore places = new Semaphore(AT_ONCE);
    private final Set<Report> underWay = ConcurrentHashMap.newKeySet();

    private record Report(String worker, ChunkId chunk) {}

    public DamageReports(WorkerClient client) {
        this.client = client;
    }

    /** Reports the chunk if the failure of reading it says that it may be damaged. Never blocks. */
    public void consider(
            WorkerNode worker, Digest manifest, ChunkId chunk, ForebayException failure) {
        if (failure.code() == ErrorCode.CORRUPT
                || failure.getCause() instanceof BrokenOffException) {
            report(worker, manifest, chunk);
        }
    }

    private void report(WorkerNode worker, Digest manifest, ChunkId chunk) {
        Report report = new Report(worker.id(), chunk);
        if (!underWay.add(report)) {
            return;
        }
        if (!places.tryAcquire()) {
            underWay.remove(report);
            return;
        }
        try {
            Thread.ofVirtual()
                    .name("damage-report")
                    .start(
                            () -> {
                                try {
                                    send(worker, manifest, chunk);
                                } finally {
                                    ended(report);
                                }
                            });
        } catch (OutOfMemoryError noThread) {
            ended(report);
        }
    }

    private void ended(Report report) {
        places.release();
        underWay.remove(report);
    }

    private void send(WorkerNode worker, Digest manifest, ChunkId chunk) {
        try {
            LOG.warn(
                    "Worker {} sent chunk {} damaged; it was {}",
                    worker.id(),
                    chunk,
                    client.verify(worker, manifest, chunk).verdict());
        } catch (ForebayException e) {
            LOG.warn(
                    "Worker {} sent chunk {} damaged and could not mend it: {}",
                    worker.id(),
                    chunk,
                    e.getMessage());
        }
    }
}
