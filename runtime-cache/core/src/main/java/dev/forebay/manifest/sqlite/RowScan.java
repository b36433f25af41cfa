package dev.forebay.manifest.sqlite;

import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Reads all rows of a query on a connection of its own. A scan of a large manifest takes minutes,
 * and lookups must not wait for it. Not thread-safe.
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

    /** Returns the value of a column, or 0 for NULL. */
    long integer(int column) {
        try {
            return rows.getLong(column);
        } catch (SQLException e) {
            throw SqlFailure.of(file, e);
        }
    }

    /** Returns the bytes of a text as stored in the file, in UTF-8; null for NULL. */
    byte @Nullable [] text(int column) {
        try {
            return rows.getBytes(column);
        } catch (SQLException e) {
            throw SqlFailure.of(file, e);
        }
    }

    /** Returns the bytes of a text, or fails for NULL. */
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
