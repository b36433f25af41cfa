package dev.forebay.agent.workers;

import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.thread.ParallelCalls;
import org.jboss.logging.Logger;

/** Has every worker drop the chunks that no other version of the region needs. */
public final class ChunkDrop {

    private static final Logger LOG = Logger.getLogger(ChunkDrop.class);

    private final Workers workers;
    private final AbsentWorkers absences;

    public ChunkDrop(Workers workers, AbsentWorkers absences) {
        this.workers = workers;
        this.absences = absences;
    }

    /**
     * Returns when every worker has dropped the chunks, or is away for longer than the grace
     * period. If such a worker returns, it removes its orphans by itself.
     */
    public void drop(Digest manifest) {
        ParallelCalls.forEach(workers.view().workers(), worker -> drop(worker, manifest));
    }

    private void drop(WorkerNode worker, Digest manifest) {
        WorkerRetries timeout = new WorkerRetries(absences.grace());
        while (true) {
            try {
                workers.drop(worker, manifest);
                return;
            } catch (ForebayException e) {
                if (e.code() == ErrorCode.NOT_FOUND) {
                    return;
                }
                if (e.code() != ErrorCode.UNAVAILABLE) {
                    throw e;
                }
                if (!absences.pause(worker.id(), timeout)) {
                    if (!absences.isGone(worker.id())) {
                        throw e;
                    }
                    LOG.warnf(
                            "Worker %s is down, so it keeps its chunks of %s",
                            worker.id(), manifest);
                    return;
                }
            }
        }
    }
}
