package dev.forebay.worker.fill;

import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.DamageReports;
import dev.forebay.transfer.ReadAnswer;
import dev.forebay.transfer.WorkerClient;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Reads chunks from the other workers of the region through the worker protocol.
 *
 * <p>If no worker has the bytes, the owner of the chunk fetches them first. The region therefore
 * reads the lake once per chunk, even when a slow owner makes readers turn to this worker. A worker
 * that does not answer is skipped during the backoff, so that a prewarm of many chunks does not
 * wait for it each time. A worker that sends a damaged chunk gets a report and is not skipped: its
 * other chunks are probably intact.
 */
public final class WorkerPeers implements Peers {

    /** The time that readers wait for one worker: the owner may have to read the lake. */
    private static final Duration OWNERS_FILL = Duration.ofSeconds(10);

    private final String self;
    private final Supplier<RegionView> view;
    private final WorkerClient client;
    private final int attempts;
    private final Duration backOff;
    private final FillObserver observer;
    private final DamageReports damage;
    private final Map<String, Long> leftAloneUntilNanos = new ConcurrentHashMap<>();

    /**
     * Asks at most {@code attempts} workers for a chunk.
     *
     * @param self this worker's id, which is never asked
     * @param backOff the time for which a failed worker is skipped
     */
    public WorkerPeers(
            String self,
            Supplier<RegionView> view,
            WorkerClient client,
            int attempts,
            Duration backOff,
            FillObserver observer) {
        this.self = self;
        this.view = view;
        this.client = client;
        this.attempts = attempts;
        this.backOff = backOff;
        this.observer = observer;
        this.damage = new DamageReports(client);
    }

    @Override
    public boolean fetch(Digest manifest, ChunkId chunk, int from, ByteBuffer target) {
        RegionView now = view.get();
        List<WorkerNode> ranked = Placement.rank(chunk, now.workers());
        List<WorkerNode> candidates =
                ranked.stream()
                        .filter(worker -> reachable(worker, now))
                        // A draining worker ranks last, and is the most likely to have the chunk.
                        .sorted(Comparator.comparing(worker -> !worker.draining()))
                        .limit(attempts)
                        .toList();
        for (WorkerNode worker : candidates) {
            if (ask(worker, manifest, chunk, from, target.slice(), true)) {
                return true;
            }
        }
        Optional<WorkerNode> owner = owner(ranked, now);
        return attempts > 0
                && owner.isPresent()
                && reachable(owner.get(), now)
                && !drains(now)
                && ask(owner.get(), manifest, chunk, from, target.slice(), false);
    }

    @Override
    public boolean othersOwn(ChunkId chunk) {
        RegionView now = view.get();
        return owner(Placement.rank(chunk, now.workers()), now)
                .filter(worker -> !worker.id().equals(self))
                .isPresent();
    }

    private static Optional<WorkerNode> owner(List<WorkerNode> ranked, RegionView now) {
        return ranked.stream().filter(worker -> now.live().contains(worker.id())).findFirst();
    }

    /**
     * Returns whether this worker is draining. When a drain begins, two workers may each take the
     * other for the owner, and would wait for each other.
     */
    private boolean drains(RegionView now) {
        return now.workers().stream()
                .anyMatch(worker -> worker.id().equals(self) && worker.draining());
    }

    private boolean reachable(WorkerNode worker, RegionView now) {
        return !worker.id().equals(self) && now.live().contains(worker.id()) && !leftAlone(worker);
    }

    private boolean ask(
            WorkerNode worker,
            Digest manifest,
            ChunkId chunk,
            int from,
            ByteBuffer target,
            boolean onlyIfCached) {
        int bytes = target.remaining();
        long first = chunk.start() + from;
        try {
            Optional<ReadAnswer> answer =
                    onlyIfCached
                            ? client.readIfCached(
                                    worker, manifest, chunk.pack(), first, first + bytes, target)
                            : Optional.of(
                                    client.read(
                                            worker,
                                            manifest,
                                            chunk.pack(),
                                            first,
                                            first + bytes,
                                            target,
                                            OWNERS_FILL));
            boolean all = answer.filter(read -> read.bytes() == bytes).isPresent();
            observer.peerRequest(all ? "ok" : "miss", all ? bytes : 0);
            return all;
        } catch (ForebayException e) {
            observer.peerRequest(e.code().name().toLowerCase(Locale.ROOT), 0);
            damage.consider(worker, manifest, chunk, e);
            if (e.code() == ErrorCode.UNAVAILABLE) {
                leaveAlone(worker);
            }
            return false;
        }
    }

    private void leaveAlone(WorkerNode worker) {
        leftAloneUntilNanos.put(worker.id(), System.nanoTime() + backOff.toNanos());
    }

    private boolean leftAlone(WorkerNode worker) {
        Long until = leftAloneUntilNanos.get(worker.id());
        if (until == null) {
            return false;
        }
        if (until - System.nanoTime() > 0) {
            return true;
        }
        leftAloneUntilNanos.remove(worker.id(), until);
        return false;
    }
}
