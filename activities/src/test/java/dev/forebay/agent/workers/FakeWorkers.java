package dev.forebay.agent.workers;

import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.Coverage;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.VerifyAnswer;
import java.net.URI;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/** Workers in memory that can be down, refuse, and be removed. */
public final class FakeWorkers implements Workers {

    public static final Digest MANIFEST = new Digest("ab".repeat(32));
    static final DatasetVersion VERSION = DatasetVersion.parse("a/b@c");

    private static final long CHUNK_BYTES = ChunkId.CHUNK_BYTES;

    private final Map<String, WorkerNode> registered = new HashMap<>();
    private final Set<String> live = new HashSet<>();
    private final Map<String, Set<ChunkId>> held = new HashMap<>();
    private final Map<String, BitSet> coverage = new HashMap<>();
    private final Map<String, Long> fromLake = new HashMap<>();
    private final Map<String, Long> fromSiblings = new HashMap<>();
    private final List<String> fills = new ArrayList<>();
    private final Map<String, Long> liveBytes = new HashMap<>();
    private final List<String> disagreed = new ArrayList<>();
    private final Set<String> damaged = new HashSet<>();
    private boolean mounted = true;
    private BiFunction<WorkerNode, ChunkId, FillAnswer> filling =
            (worker, chunk) -> new FillAnswer(CHUNK_BYTES, 10, 0, 0);

    public synchronized FakeWorkers with(String... ids) {
        for (String id : ids) {
            registered.put(
                    id, new WorkerNode(id, URI.create("http://" + id + ".invalid:1"), 1L << 30));
            live.add(id);
        }
        return this;
    }

    public synchronized void down(String id) {
        live.remove(id);
    }

    public synchronized void up(String id) {
        live.add(id);
    }

    public synchronized void unmount() {
        mounted = false;
    }

    public synchronized void filling(BiFunction<WorkerNode, ChunkId, FillAnswer> filling) {
        this.filling = filling;
    }

    public synchronized void holds(String id, int... ordinals) {
        BitSet bits = new BitSet();
        for (int ordinal : ordinals) {
            bits.set(ordinal);
        }
        coverage.put(id, bits);
    }

    /** Sets the bytes that a worker reports. By default it reports what it holds. */
    public synchronized void saysItHolds(String id, long bytes) {
        liveBytes.put(id, bytes);
    }

    /** Returns the workers whose figures were found wrong. */
    public synchronized List<String> disagreed() {
        return List.copyOf(disagreed);
    }

    @Override
    public synchronized void disagrees(WorkerNode worker, String how) {
        disagreed.add(worker.id());
    }

    synchronized void tookFromLake(String id, long bytes) {
        fromLake.put(id, bytes);
    }

    /** Returns every successful fill, as {@code worker chunk}. */
    public synchronized List<String> fills() {
        return List.copyOf(fills);
    }

    public synchronized Set<String> registered() {
        return Set.copyOf(registered.keySet());
    }

    @Override
    public synchronized RegionView view() {
        ManifestRef ref = new ManifestRef("s3://b/k", MANIFEST, 1, 1, 1);
        return new RegionView(
                List.copyOf(registered.values()),
                Set.copyOf(live),
                mounted ? List.of(new Mount(VERSION, ref, Mount.State.WARMING)) : List.of(),
                List.of());
    }

    @Override
    public FillAnswer fill(WorkerNode worker, Digest manifest, ChunkId chunk) {
        BiFunction<WorkerNode, ChunkId, FillAnswer> present;
        synchronized (this) {
            refuseIfDown(worker);
            present = filling;
        }
        FillAnswer answer = present.apply(worker, chunk);
        synchronized (this) {
            fills.add(worker.id() + " " + chunk.index());
            held.computeIfAbsent(worker.id(), id -> new HashSet<>()).add(chunk);
        }
        return answer;
    }

    @Override
    public synchronized Coverage coverage(WorkerNode worker, Digest manifest) {
        refuseIfDown(worker);
        BitSet bits = coverage.getOrDefault(worker.id(), new BitSet());
        return new Coverage(
                bits.length(),
                (BitSet) bits.clone(),
                liveBytes.getOrDefault(worker.id(), bits.cardinality() * CHUNK_BYTES),
                Map.of(VERSION, fromLake.getOrDefault(worker.id(), 0L)),
                Map.of(VERSION, fromSiblings.getOrDefault(worker.id(), 0L)));
    }

    /** Damages a worker's copy of a chunk. */
    public synchronized void damage(String id, int index) {
        damaged.add(id + " " + index);
    }

    @Override
    public synchronized VerifyAnswer verify(WorkerNode worker, Digest manifest, ChunkId chunk) {
        refuseIfDown(worker);
        return new VerifyAnswer(
                damaged.remove(worker.id() + " " + chunk.index())
                        ? VerifyAnswer.Verdict.REPAIRED
                        : VerifyAnswer.Verdict.INTACT);
    }

    @Override
    public synchronized DropAnswer drop(WorkerNode worker, Digest manifest) {
        refuseIfDown(worker);
        coverage.remove(worker.id());
        return new DropAnswer(1, 1);
    }

    @Override
    public synchronized void remove(String workerId) {
        registered.remove(workerId);
    }

    synchronized boolean holdsNothing(String id) {
        return !coverage.containsKey(id);
    }

    private void refuseIfDown(WorkerNode worker) {
        if (!live.contains(worker.id())) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, worker.id() + " is down");
        }
    }
}
