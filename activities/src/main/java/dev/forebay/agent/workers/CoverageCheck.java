package dev.forebay.agent.workers;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.thread.ParallelCalls;
import dev.forebay.transfer.Coverage;
import dev.forebay.workflows.activity.RegionActivities;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Asks every worker for its coverage of a version and for the cost of it, and adds up the answers.
 */
public final class CoverageCheck {

    private static final int PAGE = 1024;

    private final Workers workers;

    public CoverageCheck(Workers workers) {
        this.workers = workers;
    }

    private record Answer(WorkerNode worker, Coverage coverage) {}

    /**
     * Returns the common coverage of the workers that answer. A worker that does not answer, or
     * whose figures differ from the manifest, counts as empty. The next fill of the missing chunks
     * then waits for it, or goes to another worker.
     */
    public RegionActivities.Coverage of(DatasetVersion version, Digest digest, Manifest manifest) {
        BitSet held = new BitSet();
        long bytesFromLake = 0;
        long bytesFromSiblings = 0;
        for (Answer answer : believed(answers(digest), manifest)) {
            held.or(answer.coverage().held());
            bytesFromLake += answer.coverage().bytesFromLake().getOrDefault(version, 0L);
            bytesFromSiblings += answer.coverage().bytesFromSiblings().getOrDefault(version, 0L);
        }
        long verified = 0;
        long firstMissing = -1;
        long chunks = manifest.chunkCount();
        for (long from = 0; from < chunks; from += PAGE) {
            for (ChunkRef chunk : manifest.chunks(from, PAGE)) {
                if (held.get(Math.toIntExact(chunk.ordinal()))) {
                    verified += chunk.liveBytes();
                } else if (firstMissing < 0) {
                    firstMissing = chunk.ordinal();
                }
            }
        }
        return new RegionActivities.Coverage(
                verified, firstMissing, bytesFromLake, bytesFromSiblings);
    }

    /** Returns the answers whose live bytes match the manifest. */
    private List<Answer> believed(List<Optional<Answer>> all, Manifest manifest) {
        List<Answer> answers = all.stream().flatMap(Optional::stream).toList();
        long[] live = new long[answers.size()];
        long chunks = manifest.chunkCount();
        for (long from = 0; from < chunks; from += PAGE) {
            for (ChunkRef chunk : manifest.chunks(from, PAGE)) {
                for (int i = 0; i < live.length; i++) {
                    if (answers.get(i).coverage().held().get(Math.toIntExact(chunk.ordinal()))) {
                        live[i] += chunk.liveBytes();
                    }
                }
            }
        }
        List<Answer> believed = new ArrayList<>();
        for (int i = 0; i < live.length; i++) {
            long said = answers.get(i).coverage().liveBytes();
            if (said == live[i]) {
                believed.add(answers.get(i));
            } else {
                workers.disagrees(
                        answers.get(i).worker(),
                        "%d bytes in chunks for which the manifest has %d bytes"
                                .formatted(said, live[i]));
            }
        }
        return believed;
    }

    /**
     * The chunks of a mounted manifest that workers hold together.
     *
     * @param chunks bit <i>k</i> is set if the chunk with ordinal <i>k</i> is complete on some
     *     worker
     * @param complete whether every worker has answered, with figures that match the manifest
     */
    public record Held(BitSet chunks, boolean complete) {}

    /** Returns the chunks of a mounted manifest that the believed workers hold together. */
    public Held held(Digest digest, Manifest manifest) {
        List<Optional<Answer>> answers = answers(digest);
        List<Answer> believed = believed(answers, manifest);
        BitSet held = new BitSet();
        believed.forEach(answer -> held.or(answer.coverage().held()));
        return new Held(held, believed.size() == answers.size());
    }

    /**
     * Returns the chunks of a mounted manifest that each worker holds, without workers that do not
     * answer or whose figures differ from the manifest.
     */
    public Map<WorkerNode, BitSet> heldByWorker(Digest digest, Manifest manifest) {
        Map<WorkerNode, BitSet> held = new LinkedHashMap<>();
        believed(answers(digest), manifest)
                .forEach(answer -> held.put(answer.worker(), answer.coverage().held()));
        return held;
    }

    private List<Optional<Answer>> answers(Digest digest) {
        return ParallelCalls.map(workers.view().workers(), worker -> answer(worker, digest));
    }

    /** Empty if the worker does not answer, or does not know the manifest. */
    private Optional<Answer> answer(WorkerNode worker, Digest digest) {
        try {
            return Optional.of(new Answer(worker, workers.coverage(worker, digest)));
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.UNAVAILABLE || e.code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
