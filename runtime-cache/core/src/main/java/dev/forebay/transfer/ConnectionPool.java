package dev.forebay.transfer;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/**
 * Holds idle connections to workers, and reuses the most recently used first. Safe for use by many
 * threads.
 */
final class ConnectionPool implements AutoCloseable {

    /** Well below two minutes, after which a worker closes an idle connection. */
    private static final Duration IDLE = Duration.ofSeconds(30);

    private record Idle(HttpConnection connection, long sinceNanos) {}

    private final Map<URI, Deque<Idle>> idle = new HashMap<>();
    private boolean closed;

    /** Returns an idle connection, if there is one. The worker may have closed it meanwhile. */
    synchronized Optional<HttpConnection> take(URI worker) {
        closeOld();
        Deque<Idle> ofWorker = idle.get(worker);
        if (ofWorker == null) {
            return Optional.empty();
        }
        HttpConnection connection = ofWorker.pop().connection;
        if (ofWorker.isEmpty()) {
            idle.remove(worker);
        }
        return Optional.of(connection);
    }

    synchronized void give(URI worker, HttpConnection connection) {
        closeOld();
        if (closed) {
            connection.close();
        } else {
            idle.computeIfAbsent(worker, _ -> new ArrayDeque<>())
                    .push(new Idle(connection, System.nanoTime()));
        }
    }

    /** Closes all idle connections of a worker, after one of them was found closed. */
    synchronized void forget(URI worker) {
        Deque<Idle> ofWorker = idle.remove(worker);
        if (ofWorker != null) {
            ofWorker.forEach(each -> each.connection.close());
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        idle.values().forEach(all -> all.forEach(each -> each.connection.close()));
        idle.clear();
    }

    private void closeOld() {
        long now = System.nanoTime();
        for (Iterator<Deque<Idle>> each = idle.values().iterator(); each.hasNext(); ) {
            Deque<Idle> ofWorker = each.next();
            while (!ofWorker.isEmpty() && now - ofWorker.getLast().sinceNanos > IDLE.toNanos()) {
                ofWorker.removeLast().connection.close();
            }
            if (ofWorker.isEmpty()) {
                each.remove();
            }
        }
    }
}
