package dev.forebay.transfer;

import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Asks slow workers whether they are alive. A worker that waits for the lake answers. A worker
 * whose process or network hangs does not, and is suspected from then on. Each worker gets one such
 * request at a time, which all waiting readers share. Safe for use by many threads.
 */
final class Probes {

    private final WorkerClient client;
    private final Duration timeout;
    private final SuspectWorkers suspects;
    private final Map<String, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();

    Probes(WorkerClient client, Duration timeout, SuspectWorkers suspects) {
        this.client = client;
        this.suspects = suspects;
        this.timeout = timeout;
    }

    /** Asks a worker. The result is whether it answered in time, and never a failure. */
    CompletableFuture<Boolean> ask(WorkerNode worker) {
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        CompletableFuture<Boolean> other = underWay.putIfAbsent(worker.id(), mine);
        if (other != null) {
            return other;
        }
        var _ =
                client.answers(worker, timeout)
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
