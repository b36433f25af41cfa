package dev.forebay.agent.workers;

import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.Coverage;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.VerifyAnswer;

/** Forwards all calls. Tests override the calls that they observe. */
public class ForwardingWorkers implements Workers {

    private final Workers to;

    public ForwardingWorkers(Workers to) {
        this.to = to;
    }

    @Override
    public RegionView view() {
        return to.view();
    }

    @Override
    public FillAnswer fill(WorkerNode worker, Digest manifest, ChunkId chunk) {
        return to.fill(worker, manifest, chunk);
    }

    @Override
    public Coverage coverage(WorkerNode worker, Digest manifest) {
        return to.coverage(worker, manifest);
    }

    @Override
    public VerifyAnswer verify(WorkerNode worker, Digest manifest, ChunkId chunk) {
        return to.verify(worker, manifest, chunk);
    }

    @Override
    public DropAnswer drop(WorkerNode worker, Digest manifest) {
        return to.drop(worker, manifest);
    }

    @Override
    public void disagrees(WorkerNode worker, String how) {
        to.disagrees(worker, how);
    }

    @Override
    public void remove(String workerId) {
        to.remove(workerId);
    }
}
