package dev.forebay.agent.workers;

import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.Coverage;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.VerifyAnswer;
import dev.forebay.transfer.WorkerClient;
import java.time.Duration;
import org.jboss.logging.Logger;

/**
 * The workers that the region's etcd lists, called over HTTP.
 *
 * @param remembered how long a removed worker counts as away
 */
public record EtcdWorkers(RegionState region, WorkerClient client, Duration remembered)
        implements Workers {

    private static final Logger LOG = Logger.getLogger(EtcdWorkers.class);

    @Override
    public RegionView view() {
        return region.view();
    }

    @Override
    public FillAnswer fill(WorkerNode worker, Digest manifest, ChunkId chunk) {
        return client.fill(worker, manifest, chunk);
    }

    @Override
    public Coverage coverage(WorkerNode worker, Digest manifest) {
        return client.coverage(worker, manifest);
    }

    @Override
    public VerifyAnswer verify(WorkerNode worker, Digest manifest, ChunkId chunk) {
        return client.verify(worker, manifest, chunk);
    }

    @Override
    public DropAnswer drop(WorkerNode worker, Digest manifest) {
        return client.drop(worker, manifest);
    }

    @Override
    public void disagrees(WorkerNode worker, String how) {
        LOG.errorf(
                "Worker %s reports %s: upgrade it, or check its first disk, which has its "
                        + "manifests",
                worker.id(), how);
    }

    @Override
    public void remove(String workerId) {
        region.remove(workerId, remembered);
    }
}
