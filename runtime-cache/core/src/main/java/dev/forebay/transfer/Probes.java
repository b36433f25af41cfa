package dev.forebay.transfer;

import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Asks workers that let others wait whether they are there at all: a worker that fetches from the
 * lake says so, one whose process or network hangs does not, and is suspected from then on. One
 * question to a worker at a time, however many wait for it. Safe for use by many threads.
 */
final class Probes {

    private final WorkerClient client;
    private final Duration patience;
    private final SuspectWorkers suspects;
    private final Map<String, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();

    Probes(WorkerClient client, Duration patience, SuspectWorkers suspects) {
        this.client = client;
        this.suspects = suspects;
        this.patience = patience;
    }

    /** Completes with whether the worker has answered in time; never fails. */
    CompletableFuture<Boolean> ask(WorkerNode worker) {
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        CompletableFuture<Boolean> other = underWay.putIfAbsent(worker.id(), mine);
        if (other != null) {
            return other;
        }
        var _ =
                client.answers(worker, patience)
                        .whenComplete(
                                (alive, failure) -> {
                                    boolean there = failure == null && alive;
                                    if (!there) {
                                        suspects.suspect(worker);
                                    }
                                    underWay.remove(worker.id(), mine);
                                    mine.complete(there);
                                });
        return mine;
    }
}
