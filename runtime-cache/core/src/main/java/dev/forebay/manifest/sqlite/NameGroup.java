package dev.forebay.manifest.sqlite;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive names of a directory with a common checksum, as {@link NameGroupRows} wrote them. A
 * group whose checksum is right proves that the directory has no other names from its first name to
 * the next group.
 *
 * <p>Methods fail like SQLite if the file is damaged.
 *
 * @param parent the id of the directory
 * @param first the name at which the group begins; empty for a directory's first group
 * @param next the name at which the next group begins; null if this is the last one
 * @param count the number of names, at most {@value NameGroupRows#NAMES}
 */
record NameGroup(long parent, String first, @Nullable String next, int count, int crc32c) {

    private static final String GROUP =
            "SELECT first, next, names, crc32c, next IS NULL OR ?2 < next FROM name_group WHERE"
                    + " parent = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1";
    private static final String NAMES =
            "SELECT id, name FROM node INDEXED BY node_by_name WHERE parent = ? AND name >= ?"
                    + " ORDER BY name LIMIT ?";

    /** Returns the group that a name belongs to; empty if no names of the directory are stored. */
    static Optional<NameGroup> of(ReadSession session, long parent, String name)
            throws SQLException {
        PreparedStatement statement = session.prepare(GROUP);
        statement.setLong(1, parent);
        statement.setString(2, name);
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return Optional.empty();
            }
            NameGroup group =
                    new NameGroup(
                            parent,
                            row.getString(1),
                            row.getString(2),
                            row.getInt(3),
                            row.getInt(4));
            // The checksum does not limit the number before the names are read.
            if (!row.getBoolean(5) || group.count < 0 || group.count > NameGroupRows.NAMES) {
                throw group.damaged();
            }
            return Optional.of(group);
        }
    }

    /** Reads the names. */
    GroupNames names(ReadSession session) throws SQLException {
        PreparedStatement statement = session.prepare(NAMES);
        statement.setLong(1, parent);
        statement.setString(2, first);
        statement.setInt(3, count);
        Set<String> names = new HashSet<>();
        NameGroupChecksum found = new NameGroupChecksum();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                names.add(row.getString(2));
                found.add(row.getLong(1), row.getString(2));
            }
        }
        requireSame(found);
        return new GroupNames(this, names);
    }

    /** Fails if the names that were found are not those of the group. */
    void requireSame(NameGroupChecksum found) throws SQLException {
        if (found.ofGroup(parent, first, next) != crc32c) {
            throw damaged();
        }
    }

    private SQLException damaged() {
        return SqlFailure.corrupt(
                "a group of names in directory %d has a wrong checksum".formatted(parent));
    }
}
