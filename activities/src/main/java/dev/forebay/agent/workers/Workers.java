package dev.forebay.agent.workers;

import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.Coverage;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.VerifyAnswer;

/**
 * The workers of a region, as the activities use them: etcd's view of them and their protocol.
 * Failures are {@link dev.forebay.model.ForebayException}s of {@link
 * dev.forebay.transfer.WorkerClient} and {@link dev.forebay.membership.RegionState}.
 */
public interface Workers {

    RegionView view();

    FillAnswer fill(WorkerNode worker, Digest manifest, ChunkId chunk);

    Coverage coverage(WorkerNode worker, Digest manifest);

    DropAnswer drop(WorkerNode worker, Digest manifest);

    VerifyAnswer verify(WorkerNode worker, Digest manifest, ChunkId chunk);

    /**
     * Records that a worker's figures differ from the manifest: its copy is damaged, or it has a
     * defect.
     *
     * @param how the worker's figures and the expected ones
     */
    void disagrees(WorkerNode worker, String how);

    /** Removes a worker's registration, so that its chunks go to other workers. */
    void remove(String workerId);
}
