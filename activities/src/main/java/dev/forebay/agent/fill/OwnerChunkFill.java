package dev.forebay.agent.fill;

import dev.forebay.agent.workers.AbsentWorkers;
import dev.forebay.agent.workers.WorkerRetries;
import dev.forebay.agent.workers.Workers;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.FillAnswer;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Fills chunks of one version, each through the worker that owns it. Safe for use by many threads.
 *
 * <p>A worker that is down keeps its place for a grace period. A worker that only restarts
 * therefore keeps its chunks, and nothing is fetched twice. Afterwards its registration is removed,
 * and placement chooses another owner.
 */
public final class OwnerChunkFill {

    private static final Logger LOG = Logger.getLogger(OwnerChunkFill.class);

    /** A worker learns of a new mount from etcd a moment later than this agent. */
    private static final Duration MOUNT_WAIT = Duration.ofSeconds(10);

    private final Workers workers;
    private final Digest manifest;
    private final AbsentWorkers absences;

    public OwnerChunkFill(Workers workers, Digest manifest, AbsentWorkers absences) {
        this.workers = workers;
        this.manifest = manifest;
        this.absences = absences;
    }

    /**
     * Fills a chunk, and returns when it is complete on its owner.
     *
     * @throws ForebayException with the code of the owner's refusal; {@code UNAVAILABLE} if there
     *     is no worker or a live one does not answer; {@code CORRUPT} if the worker's figures
     *     differ from the manifest
     */
    FillAnswer fill(ChunkRef chunk) {
        while (true) {
            WorkerNode owner = owner(chunk.chunk());
            try {
                FillAnswer answer = fillBy(owner, chunk.chunk());
                if (answer.liveBytes() != chunk.liveBytes()) {
                    throw disagreement(owner, chunk, answer);
                }
                return answer;
            } catch (ForebayException e) {
                if (e.code() != ErrorCode.UNAVAILABLE
                        || Thread.currentThread().isInterrupted()
                        || !absences.isGone(owner.id())) {
                    throw e;
                }
                if (isRegistered(workers.view(), owner)) {
                    LOG.warnf(
                            "Worker %s has been down for more than %d s: other workers take over "
                                    + "its chunks",
                            owner.id(), absences.grace().toSeconds());
                    workers.remove(owner.id());
                    awaitRemoval(owner);
                }
            }
        }
    }

    private ForebayException disagreement(WorkerNode owner, ChunkRef chunk, FillAnswer answer) {
        String how =
                "%d bytes of manifest %s in %s, but the manifest has %d bytes there"
                        .formatted(answer.liveBytes(), manifest, chunk.chunk(), chunk.liveBytes());
        workers.disagrees(owner, how);
        return new ForebayException(
                ErrorCode.CORRUPT,
                "worker %s reports that it filled %s".formatted(owner.id(), how));
    }

    private WorkerNode owner(ChunkId chunk) {
        WorkerRetries timeout = new WorkerRetries(absences.grace());
        while (true) {
            List<WorkerNode> ranked = Placement.rank(chunk, workers.view().workers());
            if (!ranked.isEmpty()) {
                return ranked.getFirst();
            }
            if (!timeout.pause()) {
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        "no worker is registered in the region: start its workers");
            }
        }
    }

    private FillAnswer fillBy(WorkerNode owner, ChunkId chunk) {
        WorkerRetries timeout = new WorkerRetries(absences.grace());
        WorkerRetries mountRetries = new WorkerRetries(MOUNT_WAIT);
        WorkerNode worker = owner;
        while (true) {
            try {
                return workers.fill(worker, manifest, chunk);
            } catch (ForebayException e) {
                boolean again =
                        switch (e.code()) {
                            case UNAVAILABLE -> absences.pause(owner.id(), timeout);
                            case NOT_FOUND -> isMounted() && mountRetries.pause();
                            default -> false;
                        };
                if (!again) {
                    throw e.code() == ErrorCode.NOT_FOUND && isMounted() ? mountUnknown(e) : e;
                }
                // The worker may have returned at another address.
                worker = current(worker);
            }
        }
    }

    private ForebayException mountUnknown(ForebayException cause) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "a live worker has not received the mount from etcd: " + cause.getMessage(),
                cause);
    }

    private WorkerNode current(WorkerNode worker) {
        return workers.view().workers().stream()
                .filter(each -> each.id().equals(worker.id()))
                .findFirst()
                .orElse(worker);
    }

    private boolean isLive(WorkerNode worker) {
        return workers.view().live().contains(worker.id());
    }

    private boolean isMounted() {
        return workers.view().mounts().stream()
                .anyMatch(mount -> mount.manifest().digest().equals(manifest));
    }

    private void awaitRemoval(WorkerNode worker) {
        WorkerRetries timeout = new WorkerRetries(absences.grace());
        while (isRegistered(workers.view(), worker) && !isLive(worker)) {
            if (!timeout.pause()) {
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        "worker %s was removed, but etcd's watch has not reported it"
                                .formatted(worker.id()));
            }
        }
    }

    private static boolean isRegistered(RegionView view, WorkerNode worker) {
        return view.workers().stream().anyMatch(each -> each.id().equals(worker.id()));
    }
}
