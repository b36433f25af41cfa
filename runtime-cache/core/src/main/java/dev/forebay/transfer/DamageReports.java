package dev.forebay.transfer;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.thread.ThreadStart;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports damaged chunks to the workers that sent them, which then verify and repair them.
 *
 * <p>A worker sends bytes without checking them, so only the receiver notices damage. Reports are
 * sent in the background while the reader uses another source. A few are sent at once, and never
 * two for the same chunk of a worker. A report beyond that limit is dropped, because the next
 * reader finds the damage again. Safe for use by many threads.
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

    /** Reports the chunk if the read failed in a way that suggests damage. Never blocks. */
    public void consider(
            WorkerNode worker, Digest manifest, ChunkId chunk, ForebayException failure) {
        if (failure.code() == ErrorCode.CORRUPT
                || failure.getCause() instanceof TruncatedAnswerException) {
            report(worker, manifest, chunk);
        }
    }

    private void report(WorkerNode worker, Digest manifest, ChunkId chunk) {
        Report report = new Report(worker.id(), chunk);
        Runnable sender =
                () -> {
                    try {
                        send(worker, manifest, chunk);
                    } finally {
                        ended(report);
                    }
                };
        Runnable start = () -> Thread.ofVirtual().name("damage-report").start(sender);
        if (!underWay.add(report)) {
            return;
        }
        if (!places.tryAcquire()) {
            underWay.remove(report);
            return;
        }
        if (!ThreadStart.attempt(start)) {
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
                    "Worker {} sent damaged chunk {}; result of its repair: {}",
                    worker.id(),
                    chunk,
                    client.verify(worker, manifest, chunk).verdict());
        } catch (ForebayException e) {
            LOG.warn(
                    "Worker {} sent damaged chunk {} and could not repair it: {}",
                    worker.id(),
                    chunk,
                    e.getMessage());
        }
    }
}
