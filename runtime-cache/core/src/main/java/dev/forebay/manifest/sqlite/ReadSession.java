package dev.forebay.manifest.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** A read-only connection to a manifest with its prepared statements. Not thread-safe. */
final class ReadSession implements AutoCloseable {

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

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

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
