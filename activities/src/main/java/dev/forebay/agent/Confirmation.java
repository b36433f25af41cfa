package dev.forebay.agent;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.Coverage;
import dev.forebay.workflows.activity.RegionActivities;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Asks every worker what it holds of a version and what that has cost, and adds it up. */
final class Confirmation {

    private static final int PAGE = 1024;

    private final Workers workers;

    Confirmation(Workers workers) {
        this.workers = workers;
    }

    private record Answer(WorkerNode worker, Coverage coverage) {}

    /**
     * What the workers that answer hold together. One that does not answer, or whose figures are
     * not the manifest's, holds nothing: the filling of what is missing then waits for it, or goes
     * to another.
     */
    RegionActivities.Coverage of(DatasetVersion version, Digest digest, Manifest manifest) {
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

    /** Those that count the bytes of what they hold as the manifest does. */
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
                        "%d bytes in chunks of a manifest that has %d there"
                                .formatted(said, live[i]));
            }
        }
        return believed;
    }

    /**
     * What workers hold together of a mounted manifest.
     *
     * @param chunks bit <i>k</i> is set if the chunk with ordinal <i>k</i> is complete somewhere
     * @param complete whether every worker has answered
     */
    record Held(BitSet chunks, boolean complete) {}

    /** What the workers that answer hold together, of a manifest that is mounted. */
    Held held(Digest digest) {
        BitSet held = new BitSet();
        List<Optional<Answer>> answers = answers(digest);
        answers.forEach(answer -> answer.ifPresent(each -> held.or(each.coverage().held())));
        return new Held(held, answers.stream().allMatch(Optional::isPresent));
    }

    private List<Optional<Answer>> answers(Digest digest) {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Optional<Answer>>> answers =
                    workers.view().workers().stream()
                            .map(
                                    worker ->
                                            CompletableFuture.supplyAsync(
                                                    () -> answer(worker, digest), executor))
                            .toList();
            return answers.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException e) {
            throw e.getCause() instanceof ForebayException cause ? cause : e;
        }
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
