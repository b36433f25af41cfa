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
 * Connections to workers that nobody uses at the moment, those that were used last taken first.
 * Safe for use by many threads.
 */
final class ConnectionPool implements AutoCloseable {

    /** Well below the time after which a worker closes what nothing comes from, two minutes. */
    private static final Duration IDLE = Duration.ofSeconds(30);

    private record Idle(HttpConnection connection, long sinceNanos) {}

    private final Map<URI, Deque<Idle>> idle = new HashMap<>();
    private boolean closed;

    /** A connection that was used before; the worker may have closed it since. */
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

    /** Closes all of a worker, of which one had ended. */
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
