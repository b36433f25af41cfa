package dev.forebay.agent;

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
interface Workers {

    RegionView view();

    FillAnswer fill(WorkerNode worker, Digest manifest, ChunkId chunk);

    Coverage coverage(WorkerNode worker, Digest manifest);

    DropAnswer drop(WorkerNode worker, Digest manifest);

    VerifyAnswer verify(WorkerNode worker, Digest manifest, ChunkId chunk);

    /**
     * Notes that a worker's figures of a manifest are not the manifest's: its copy is damaged, or
     * it has a defect.
     *
     * @param how what it says that it has, and what there is
     */
    void disagrees(WorkerNode worker, String how);

    /** Gives up on a worker, so that its chunks are placed elsewhere. */
    void remove(String workerId);
}
