package dev.forebay.manifest.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A read-only connection to a manifest with its prepared statements. Not thread-safe. */
final class ReadSession implements AutoCloseable {

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private @Nullable GroupNames lastNames;

    ReadSession(Path file) throws SQLException {
        connection = ManifestSchema.open(file);
    }

    /**
     * Returns the prepared statement for a query. Only for the few constant queries of {@link
     * SqliteManifest}.
     */
    PreparedStatement prepare(String query) throws SQLException {
        PreparedStatement statement = prepared.get(query);
        if (statement == null) {
            statement = connection.prepareStatement(query);
            prepared.put(query, statement);
        }
        return statement;
    }

    /**
     * Returns whether the names that were read last prove that a directory has no such name. An
     * ingest looks up new names in order, and most of them fall between the same names.
     */
    boolean knowsAbsent(long parent, String name) {
        return lastNames != null && lastNames.proveAbsent(parent, name);
    }

    void keep(GroupNames names) {
        lastNames = names;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
