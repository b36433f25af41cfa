package dev.forebay.transfer;

import dev.forebay.placement.WorkerNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers for a while which workers did not answer, so that a dead worker does not cost every
 * read a timeout. Safe for use by many threads.
 */
final class SuspectWorkers {

    private final Duration suspicion;
    private final Map<String, Long> untilNanos = new ConcurrentHashMap<>();

    SuspectWorkers(Duration suspicion) {
        this.suspicion = suspicion;
    }

    void suspect(WorkerNode worker) {
        long now = System.nanoTime();
        untilNanos.values().removeIf(until -> until - now <= 0);
        untilNanos.put(worker.id(), now + suspicion.toNanos());
    }

    void clear(WorkerNode worker) {
        untilNanos.remove(worker.id());
    }

    boolean suspected(WorkerNode worker) {
        Long until = untilNanos.get(worker.id());
        return until != null && until - System.nanoTime() > 0;
    }

    /**
     * Returns the workers to ask, in order. Live workers without suspicion come first, then the
     * suspected ones. If no worker is live, returns all of them, because the region's view may be
     * old.
     */
    List<WorkerNode> order(List<WorkerNode> ranked, Set<String> live) {
        List<WorkerNode> candidates =
                ranked.stream().filter(worker -> live.contains(worker.id())).toList();
        if (candidates.isEmpty()) {
            candidates = ranked;
        }
        List<WorkerNode> trusted = new ArrayList<>();
        List<WorkerNode> suspected = new ArrayList<>();
        for (WorkerNode worker : candidates) {
            (suspected(worker) ? suspected : trusted).add(worker);
        }
        trusted.addAll(suspected);
        return trusted;
    }
}
