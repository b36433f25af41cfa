package dev.forebay.manifest.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.sqlite.SQLiteConfig;

/** Defines the tables of a manifest, and opens its file. */
public final class ManifestSchema {

    public static final String FORMAT = "1";

    private static final int WRITER_CACHE_KIB = 32 << 10;

    /** The maximum memory outside the heap for each open session. */
    static final int READER_CACHE_KIB = 2 << 10;

    private static final List<String> TABLES =
            List.of(
                    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
                    "CREATE TABLE pack (ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bytes"
                            + " INTEGER NOT NULL)",
                    "CREATE TABLE node (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name TEXT"
                            + " NOT NULL, mtime_ns INTEGER NOT NULL, size INTEGER, key TEXT, etag TEXT,"
                            + " version_id TEXT, pack INTEGER, pack_offset INTEGER, crc32c INTEGER NOT NULL)",
                    "CREATE UNIQUE INDEX node_by_name ON node (parent, name)",
                    "CREATE TABLE name_group (parent INTEGER NOT NULL, first TEXT NOT NULL, next TEXT,"
                            + " names INTEGER NOT NULL, crc32c INTEGER NOT NULL, PRIMARY KEY (parent,"
                            + " first)) WITHOUT ROWID",
                    "CREATE INDEX node_by_place ON node (pack, pack_offset) WHERE size > 0",
                    "CREATE TABLE chunk (ordinal INTEGER PRIMARY KEY, pack INTEGER NOT NULL, idx"
                            + " INTEGER NOT NULL, length INTEGER NOT NULL, live_bytes INTEGER NOT"
                            + " NULL, objects_crc32c INTEGER NOT NULL, crc32c INTEGER NOT NULL)",
                    "CREATE UNIQUE INDEX chunk_by_place ON chunk (pack, idx)");

    private ManifestSchema() {}

    /**
     * Creates an empty manifest. The returned connection has an open transaction.
     *
     * <p>The file needs no journal and no sync, because no process uses it before it is complete.
     * SQLite writes dirty pages beyond its cache to the file at once, so the transaction needs no
     * additional memory.
     */
    public static Connection create(Path file) throws SQLException {
        NativeSqlite.load();
        SQLiteConfig config = new SQLiteConfig();
        config.setEncoding(SQLiteConfig.Encoding.UTF8);
        config.setPageSize(4096);
        config.setJournalMode(SQLiteConfig.JournalMode.OFF);
        config.setSynchronous(SQLiteConfig.SynchronousMode.OFF);
        config.setLockingMode(SQLiteConfig.LockingMode.EXCLUSIVE);
        config.setCacheSize(-WRITER_CACHE_KIB);
        Connection connection = config.createConnection(url(file, ""));
        try {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                for (String table : TABLES) {
                    statement.executeUpdate(table);
                }
            }
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Opens a finished manifest as immutable, so that SQLite uses neither locks nor a journal. */
    static Connection open(Path file) throws SQLException {
        NativeSqlite.load();
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setOpenMode(org.sqlite.SQLiteOpenMode.OPEN_URI);
        config.setCacheSize(-READER_CACHE_KIB);
        return config.createConnection(url(file, "?immutable=1&mode=ro"));
    }

    private static String url(Path file, String options) {
        return "jdbc:sqlite:file:" + file.toAbsolutePath().toUri().getRawPath() + options;
    }
}
