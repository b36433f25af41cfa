package dev.forebay.manifest.sqlite;

import dev.forebay.manifest.Node;
import dev.forebay.manifest.PackLayout;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the {@code node} table, and compares each row with its checksum and each absent name with
 * the groups of names. Thread-safe.
 */
final class NodeReader {

    private static final String COLUMNS =
            "id, name, mtime_ns, size, key, etag, version_id, pack, pack_offset, parent, crc32c";

    /** Selects the columns that {@link #node(ResultSet)} reads. */
    static final String NODE = "SELECT " + COLUMNS + " FROM node";

    private static final String LOOKUP = NODE + " WHERE parent = ? AND name = ?";
    private static final String BY_ID = NODE + " WHERE id = ?";
    private static final String READDIR =
            "SELECT "
                    + COLUMNS
                    + ", name > ?4 FROM node INDEXED BY node_by_name WHERE parent = ?1 AND name >= ?2"
                    + " ORDER BY name LIMIT ?3";

    private final ManifestHead head;

    NodeReader(ManifestHead head) {
        this.head = head;
    }

    Optional<Node> lookup(ReadSession session, long parentId, String name) throws SQLException {
        if (session.knowsAbsent(parentId, name)) {
            return Optional.empty();
        }
        PreparedStatement statement = session.prepare(LOOKUP);
        statement.setLong(1, parentId);
        statement.setString(2, name);
        Optional<Node> found = one(statement);
        if (found.isEmpty()) {
            requireAbsent(session, parentId, name);
        }
        return found;
    }

    private void requireAbsent(ReadSession session, long parentId, String name)
            throws SQLException {
        Optional<NameGroup> group = group(session, parentId, name);
        if (group.isEmpty()) {
            return;
        }
        GroupNames names = group.get().names(session);
        if (names.names().contains(name)) {
            throw head.damaged(
                    "its index does not find a name in directory %d".formatted(parentId));
        }
        session.keep(names);
    }

    /** Returns the group of names that a name belongs to; empty if the node is no directory. */
    private Optional<NameGroup> group(ReadSession session, long parentId, String name)
            throws SQLException {
        Optional<NameGroup> group = NameGroup.of(session, parentId, name);
        if (group.isEmpty() && node(session, parentId).orElse(null) instanceof Node.Directory) {
            throw head.damaged("it has no names of directory " + parentId);
        }
        return group;
    }

    Optional<Node> node(ReadSession session, long id) throws SQLException {
        PreparedStatement statement = session.prepare(BY_ID);
        statement.setLong(1, id);
        Optional<Node> found = one(statement);
        if (found.isEmpty() && id > 0 && id <= head.number("nodes")) {
            throw head.damaged("it has no node " + id);
        }
        return found;
    }

    private Optional<Node> one(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            return row.next() ? Optional.of(node(row)) : Optional.empty();
        }
    }

    List<Node> readdir(ReadSession session, long parentId, String afterName, int limit)
            throws SQLException {
        List<Node> nodes = new ArrayList<>();
        for (String at = afterName; at != null && nodes.size() < limit; ) {
            NameGroup group = group(session, parentId, at).orElse(null);
            if (group == null) {
                break;
            }
            nodes.addAll(nodes(session, group, afterName));
            at = group.next();
        }
        return nodes.subList(0, Math.min(limit, nodes.size()));
    }

    /** Returns the nodes of a group whose names come after {@code afterName}. */
    private List<Node> nodes(ReadSession session, NameGroup group, String afterName)
            throws SQLException {
        PreparedStatement statement = session.prepare(READDIR);
        statement.setLong(1, group.parent());
        statement.setString(2, group.first());
        statement.setInt(3, group.count());
        statement.setString(4, afterName);
        List<Node> nodes = new ArrayList<>();
        NameGroupChecksum found = new NameGroupChecksum();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                Node node = node(row);
                found.add(node.id(), node.name());
                if (row.getBoolean(12)) {
                    nodes.add(node);
                }
            }
        }
        group.requireSame(found);
        return nodes;
    }

    /** Reads the current row. */
    Node node(ResultSet row) throws SQLException {
        long id = row.getLong(1);
        String name = row.getString(2);
        long mtimeNanos = row.getLong(3);
        long size = row.getLong(4);
        boolean directory = row.wasNull();
        String key = row.getString(5);
        String etag = row.getString(6);
        String versionId = row.getString(7);
        int pack = row.getInt(8);
        long packOffset = row.getLong(9);
        int checksum =
                NodeChecksum.of(
                        id,
                        row.getLong(10),
                        name,
                        mtimeNanos,
                        directory ? -1 : size,
                        key,
                        etag,
                        versionId,
                        pack,
                        packOffset);
        if (checksum != row.getInt(11)) {
            throw head.damaged("the row of node %d does not match its checksum".formatted(id));
        }
        return directory
                ? new Node.Directory(id, name, mtimeNanos)
                : new Node.File(
                        id,
                        name,
                        mtimeNanos,
                        size,
                        key,
                        etag,
                        versionId,
                        size == 0 ? PackLayout.nowhere() : head.pack(pack),
                        packOffset);
    }
}
