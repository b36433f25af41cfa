package dev.forebay.manifest.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bounded pool of sessions on one file. Sessions are opened on demand, and kept while {@link
 * IdleSessions} has space for them.
 *
 * <p>Thread-safe. If all sessions are in use, a caller waits for one.
 */
final class ReadSessions implements AutoCloseable {

    /** A query on one session. */
    interface Query<T> {
        T run(ReadSession session) throws SQLException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(ReadSessions.class);

    private final Path file;
    private final Semaphore permits;
    private final IdleSessions idle = IdleSessions.OF_THIS_PROCESS;

    // Guarded by this.
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
        Optional<ReadSession> session;
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("manifest " + file + " is closed");
            }
            session = idle.take(this);
        }
        return session.isPresent() ? session.get() : new ReadSession(file);
    }

    private void giveBack(ReadSession session) {
        Optional<ReadSession> unwanted;
        synchronized (this) {
            unwanted = closed ? Optional.of(session) : idle.give(this, session);
        }
        unwanted.ifPresent(ReadSessions::close);
    }

    /** The session may belong to another file. */
    private static void close(ReadSession session) {
        try {
            session.close();
        } catch (SQLException e) {
            LOG.warn("Cannot close a read session", e);
        }
    }

    /** Closes idle sessions at once, and sessions in use when they are returned. */
    @Override
    public void close() {
        List<ReadSession> left;
        synchronized (this) {
            closed = true;
            left = idle.takeAll(this);
        }
        left.forEach(ReadSessions::close);
    }
}
