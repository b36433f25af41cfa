package dev.forebay.manifest;

import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one query from beginning to end, on a connection of its own: a scan takes minutes for
 * a large manifest, and those who look things up must not wait for it. For one thread at a time.
 */
final class RowScan implements AutoCloseable {

    private final Path file;
    private final ReadSession session;
    private final ResultSet rows;

    private RowScan(Path file, ReadSession session, String query) throws SQLException {
        this.file = file;
        this.session = session;
        this.rows = session.prepare(query).executeQuery();
    }

    static RowScan of(Path file, String query) {
        try {
            ReadSession session = new ReadSession(file);
            try {
                return new RowScan(file, session, query);
            } catch (SQLException e) {
                session.close();
                throw e;
            }
        } catch (SQLException e) {
            throw SqlFailure.of(file, e);
        }
    }

    boolean next() {
        try {
            return rows.next();
        } catch (SQLException e) {
            throw SqlFailure.of(file, e);
        }
    }

    /** 0 if it is NULL. */
    long integer(int column) {
        try {
            return rows.getLong(column);
        } catch (SQLException e) {
            throw SqlFailure.of(file, e);
        }
    }

    /** The bytes of a text as they are in the file, that is UTF-8. */
    byte @Nullable [] text(int column) {
        try {
            return rows.getBytes(column);
        } catch (SQLException e) {
            throw SqlFailure.of(file, e);
        }
    }

    /** The bytes of a text that must be there. */
    byte[] requiredText(int column) {
        byte[] text = text(column);
        if (text == null) {
            throw damaged("NULL in column " + column + " of a row that needs it");
        }
        return text;
    }

    ForebayException damaged(String why) {
        return SqlFailure.damaged(file, why);
    }

    @Override
    public void close() {
        try {
            session.close();
        } catch (SQLException e) {
            throw SqlFailure.of(file, e);
        }
    }
}
