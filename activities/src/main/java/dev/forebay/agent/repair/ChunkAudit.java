package dev.forebay.agent.repair;

import dev.forebay.agent.workers.CoverageCheck;
import dev.forebay.agent.workers.Workers;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.placement.WorkerNode;
import dev.forebay.service.gateway.VerifyReport;
import dev.forebay.service.gateway.VerifyRequest;
import dev.forebay.thread.ParallelCalls;
import dev.forebay.transfer.VerifyAnswer.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Has every worker verify the checksums of its chunks of a version now, before the scrub reaches
 * them. A worker drops a damaged chunk and fetches it again. Safe for use by many threads.
 */
public final class ChunkAudit {

    /** Chunks that are verified at once. The time is checked after each batch. */
    private static final int AT_ONCE = 16;

    private final Workers workers;
    private final Function<ManifestRef, ? extends Manifest> manifests;

    /**
     * @param manifests opens them, as {@link ManifestCache#open}; each is closed after use
     */
    public ChunkAudit(Workers workers, Function<ManifestRef, ? extends Manifest> manifests) {
        this.workers = workers;
        this.manifests = manifests;
    }

    /** A copy of a chunk on a worker. */
    private record Copy(WorkerNode worker, ChunkRef chunk) {}

    /** The result for one copy. {@code answered} is false if its worker did not answer. */
    private record Outcome(boolean answered, boolean damaged, boolean there) {}

    /**
     * Verifies chunks from {@link VerifyRequest#from} until the time is over or no chunk is left.
     *
     * @throws ForebayException as {@link ManifestCache#open}
     */
    public VerifyReport of(VerifyRequest request) {
        long until = System.nanoTime() + Duration.ofSeconds(request.seconds()).toNanos();
        Digest digest = request.manifest().digest();
        List<Outcome> outcomes = new ArrayList<>();
        long next = request.from();
        try (Manifest manifest = manifests.apply(request.manifest())) {
            Map<WorkerNode, BitSet> held = held(digest, manifest, outcomes);
            while (next < manifest.chunkCount()) {
                List<ChunkRef> batch = manifest.chunks(next, AT_ONCE);
                outcomes.addAll(
                        ParallelCalls.map(copies(batch, held), copy -> verify(copy, digest)));
                next += batch.size();
                if (System.nanoTime() > until) {
                    break;
                }
            }
            return report(next, next >= manifest.chunkCount(), outcomes);
        }
    }

    /**
     * Returns the chunks that each worker holds. Records a worker that does not answer, or whose
     * figures differ from the manifest.
     */
    private Map<WorkerNode, BitSet> held(Digest digest, Manifest manifest, List<Outcome> outcomes) {
        Map<WorkerNode, BitSet> held = new CoverageCheck(workers).heldByWorker(digest, manifest);
        for (WorkerNode worker : workers.view().workers()) {
            if (!held.containsKey(worker)) {
                outcomes.add(new Outcome(false, false, false));
            }
        }
        return held;
    }

    private static List<Copy> copies(List<ChunkRef> chunks, Map<WorkerNode, BitSet> held) {
        return chunks.stream()
                .flatMap(
                        chunk ->
                                held.entrySet().stream()
                                        .filter(
                                                entry ->
                                                        entry.getValue()
                                                                .get(
                                                                        Math.toIntExact(
                                                                                chunk.ordinal())))
                                        .map(entry -> new Copy(entry.getKey(), chunk)))
                .toList();
    }

    private Outcome verify(Copy copy, Digest manifest) {
        try {
            Verdict verdict =
                    workers.verify(copy.worker(), manifest, copy.chunk().chunk()).verdict();
            return new Outcome(true, verdict == Verdict.REPAIRED, verdict != Verdict.ABSENT);
        } catch (ForebayException unanswered) {
            return new Outcome(false, false, false);
        }
    }

    private static VerifyReport report(long next, boolean done, List<Outcome> outcomes) {
        return new VerifyReport(
                next,
                done,
                outcomes.stream().filter(each -> each.there() && !each.damaged()).count(),
                outcomes.stream().filter(Outcome::damaged).count(),
                outcomes.stream().filter(each -> !each.answered()).count());
    }
}
