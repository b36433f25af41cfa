package dev.forebay.manifest.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Writes the {@code name_group} table from the index by name. It divides the names of each
 * directory, in the order of their UTF-8 bytes, into groups of at most {@value #NAMES}. The row of
 * a group has a checksum of its names, so that a reader notices if the index has lost one of them.
 *
 * <p>The first group of a directory begins at the empty name, and an empty directory has a group
 * without names. Every name that could exist therefore belongs to exactly one group.
 */
public final class NameGroupRows {

    /**
     * The cost of a lookup that finds nothing grows with this number, the size of the table
     * shrinks.
     */
    static final int NAMES = 32;

    private static final String EMPTY_DIRECTORIES =
            "SELECT id FROM node WHERE size IS NULL AND NOT EXISTS (SELECT 1 FROM name_group WHERE"
                    + " parent = node.id) ORDER BY id";

    private final PreparedStatement insert;
    private long parent;
    private String first = "";
    private NameGroupChecksum names = new NameGroupChecksum();

    private NameGroupRows(PreparedStatement insert) {
        this.insert = insert;
    }

    /** Writes the table. */
    public static void fill(Connection connection) throws SQLException {
        try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO name_group VALUES (?,?,?,?,?)");
                Statement select = connection.createStatement()) {
            NameGroupRows table = new NameGroupRows(insert);
            try (ResultSet rows = select.executeQuery(EntryScan.ENTRIES)) {
                while (rows.next()) {
                    table.add(rows.getLong(1), rows.getLong(2), rows.getString(3));
                }
            }
            table.endDirectory();
            try (ResultSet rows = select.executeQuery(EMPTY_DIRECTORIES)) {
                while (rows.next()) {
                    table.parent = rows.getLong(1);
                    table.flush(null);
                }
            }
        }
    }

    private void add(long directory, long id, String name) throws SQLException {
        if (directory != parent) {
            endDirectory();
            parent = directory;
        } else if (names.count() == NAMES) {
            flush(name);
            first = name;
        }
        names.add(id, name);
    }

    private void endDirectory() throws SQLException {
        if (names.count() > 0) {
            flush(null);
            first = "";
        }
    }

    private void flush(@Nullable String next) throws SQLException {
        insert.setLong(1, parent);
        insert.setString(2, first);
        insert.setString(3, next);
        insert.setInt(4, names.count());
        insert.setInt(5, names.ofGroup(parent, first, next));
        insert.executeUpdate();
        names = new NameGroupChecksum();
    }
}
