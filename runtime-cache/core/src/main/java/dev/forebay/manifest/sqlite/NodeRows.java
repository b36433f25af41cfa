package dev.forebay.manifest.sqlite;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.PackPosition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Writes rows of the {@code node} table and numbers them in the order they are added. */
public final class NodeRows implements AutoCloseable {

    private static final long NANOS = 1_000_000_000;

    private final PreparedStatement insert;
    private final PreparedStatement touch;
    private final PreparedStatement find;
    private long lastId;

    public NodeRows(Connection connection) throws SQLException {
        insert =
                connection.prepareStatement(
                        "INSERT INTO node VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING");
        touch =
                connection.prepareStatement(
                        "UPDATE node SET mtime_ns = ?1, crc32c = ?2 WHERE id = ?3 AND mtime_ns < ?1");
        find =
                connection.prepareStatement(
                        "SELECT id FROM node WHERE parent = ? AND name = ? AND size IS NULL");
    }

    /** Returns the new directory's id, or empty if the name is taken. */
    public OptionalLong addDirectory(long parent, String name, long mtimeNanos)
            throws SQLException {
        return add(parent, name, mtimeNanos, null, null);
    }

    /** Returns the new file's id, or empty if the name is taken. An empty object has no place. */
    public OptionalLong addFile(
            long parent, String name, LakeObject object, @Nullable PackPosition place)
            throws SQLException {
        return add(parent, name, nanos(object.modified()), object, place);
    }

    private OptionalLong add(
            long parent,
            String name,
            long mtimeNanos,
            @Nullable LakeObject object,
            @Nullable PackPosition place)
            throws SQLException {
        insert.setLong(1, lastId + 1);
        insert.setLong(2, parent);
        insert.setString(3, name);
        insert.setLong(4, mtimeNanos);
        if (object == null) {
            insert.setNull(5, Types.INTEGER);
        } else {
            insert.setLong(5, object.size());
        }
        insert.setString(6, object == null ? null : object.key());
        insert.setString(7, object == null ? null : object.etag());
        insert.setString(8, object == null ? null : object.versionId());
        if (place == null) {
            insert.setNull(9, Types.INTEGER);
            insert.setNull(10, Types.INTEGER);
        } else {
            insert.setInt(9, place.pack());
            insert.setLong(10, place.offset());
        }
        insert.setInt(11, checksum(lastId + 1, parent, name, mtimeNanos, object, place));
        return insert.executeUpdate() == 0 ? OptionalLong.empty() : OptionalLong.of(++lastId);
    }

    private static int checksum(
            long id,
            long parent,
            String name,
            long mtimeNanos,
            @Nullable LakeObject object,
            @Nullable PackPosition place) {
        return NodeChecksum.of(
                id,
                parent,
                name,
                mtimeNanos,
                object == null ? -1 : object.size(),
                object == null ? null : object.key(),
                object == null ? null : object.etag(),
                object == null ? null : object.versionId(),
                place == null ? 0 : place.pack(),
                place == null ? 0 : place.offset());
    }

    /** Sets a directory's time to {@code mtimeNanos}, unless it is newer already. */
    public void touch(long directory, long parent, String name, long mtimeNanos)
            throws SQLException {
        touch.setLong(1, mtimeNanos);
        touch.setInt(2, checksum(directory, parent, name, mtimeNanos, null, null));
        touch.setLong(3, directory);
        touch.executeUpdate();
    }

    /** Returns the number of rows, whose ids are 1 to this number. */
    public long count() {
        return lastId;
    }

    public OptionalLong findDirectory(long parent, String name) throws SQLException {
        find.setLong(1, parent);
        find.setString(2, name);
        try (ResultSet rows = find.executeQuery()) {
            return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
        }
    }

    @Override
    public void close() throws SQLException {
        insert.close();
        touch.close();
        find.close();
    }

    /**
     * Returns nanoseconds since the epoch. Times that a long cannot hold, before about 1678 and
     * after about 2262, are clamped.
     */
    public static long nanos(Instant time) {
        try {
            return Math.addExact(
                    Math.multiplyExact(time.getEpochSecond(), NANOS), (long) time.getNano());
        } catch (ArithmeticException beyond) {
            return time.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
