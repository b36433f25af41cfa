package dev.forebay.manifest;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;

/**
 * A bounded pool of sessions on one file, opened when first needed.
 *
 * <p>Safe for use by many threads; a caller beyond the bound waits for a session to come back.
 */
final class ReadSessions implements AutoCloseable {

    /** A query on one session. */
    interface Query<T> {
        T run(ReadSession session) throws SQLException;
    }

    private final Path file;
    private final Semaphore permits;
    private final Deque<ReadSession> idle = new ArrayDeque<>();
    private boolean closed;

    ReadSessions(Path file, int limit) {
        this.file = file;
        this.permits = new Semaphore(limit);
    }

    <T> T query(Query<T> query) {
        permits.acquireUninterruptibly();
        try {
            ReadSession session = take();
            try {
                return query.run(session);
            } finally {
                giveBack(session);
            }
        } catch (SQLException e) {
            throw SqlFailure.of(file, e);
        } finally {
            permits.release();
        }
    }

    private ReadSession take() throws SQLException {
        synchronized (idle) {
            if (closed) {
                throw new IllegalStateException("manifest " + file + " is closed");
            }
            ReadSession session = idle.pollFirst();
            if (session != null) {
                return session;
            }
        }
        return new ReadSession(file);
    }

    private void giveBack(ReadSession session) throws SQLException {
        synchronized (idle) {
            if (!closed) {
                idle.addFirst(session);
                return;
            }
        }
        session.close();
    }

    /** Closes idle sessions now and those in use when they come back. */
    @Override
    public void close() {
        Deque<ReadSession> left;
        synchronized (idle) {
            closed = true;
            left = new ArrayDeque<>(idle);
            idle.clear();
        }
        try {
            for (ReadSession session : left) {
                session.close();
            }
        } catch (SQLException e) {
            throw SqlFailure.of(file, e);
        }
    }
}
