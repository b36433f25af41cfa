package dev.forebay.manifest.sqlite;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.PackLayout;
import dev.forebay.manifest.Segment;
import dev.forebay.manifest.Tally;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.ChunkId;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.thread.CatchAll;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A manifest in a local SQLite file, read through its indexes.
 *
 * <p>The file must stay unchanged, at its path, while the manifest is open. The caller has verified
 * its digest, see {@link ManifestCache}. The disk can damage the file later, so every read compares
 * the checksums of its rows. Thread-safe. At most {@value #SESSIONS} threads read at once, and
 * others wait.
 */
public final class SqliteManifest implements Manifest {

    private static final int SESSIONS = 4;

    private static final String COLUMNS =
            "id, name, mtime_ns, size, key, etag, version_id, pack, pack_offset, parent, crc32c";
    private static final String NODE = "SELECT " + COLUMNS + " FROM node";
    private static final String LOOKUP = NODE + " WHERE parent = ? AND name = ?";
    private static final String BY_ID = NODE + " WHERE id = ?";
    private static final String READDIR =
            "SELECT "
                    + COLUMNS
                    + ", name > ?4 FROM node INDEXED BY node_by_name WHERE parent = ?1 AND name >= ?2"
                    + " ORDER BY name LIMIT ?3";
    // Objects do not overlap. Only the last of the objects that begin before the range can reach
    // into it.
    private static final String SEGMENTS =
            NODE
                    + " WHERE pack = ?1 AND size > 0 AND pack_offset >= coalesce((SELECT max(pack_offset) FROM node WHERE pack = ?1"
                    + " AND size > 0 AND pack_offset <= ?2), ?2) AND pack_offset < ?3 ORDER BY"
                    + " pack_offset";
    private static final String TALLY =
            "SELECT count(*), coalesce(sum((min(pack_offset + size, ?3) - 1) / ?4 - max(pack_offset,"
                    + " ?2) / ?4 + 1), 0) FROM node WHERE pack = ?1 AND size > 0 AND pack_offset >="
                    + " coalesce((SELECT max(pack_offset) FROM node WHERE pack = ?1 AND size > 0 AND"
                    + " pack_offset <= ?2), ?2) AND pack_offset < ?3 AND pack_offset + size > ?2";
    private static final String CHUNK =
            "SELECT ordinal, pack, idx, length, live_bytes, objects_crc32c, crc32c FROM chunk";
    private static final String CHUNKS = CHUNK + " WHERE ordinal >= ? ORDER BY ordinal LIMIT ?";
    private static final String CHUNK_AT = CHUNK + " WHERE pack = ? AND idx = ?";

    private final Path file;
    private final Runnable whenDamaged;
    private final ReadSessions sessions;
    private final Map<String, String> meta = new HashMap<>();
    private final List<Pack> packs = new ArrayList<>();
    private final Map<PackId, Integer> ordinals = new HashMap<>();
    private final Map<Integer, PackId> packIds = new HashMap<>();
    private final long chunkCount;

    private SqliteManifest(Path file, int sessions, Runnable whenDamaged) {
        this.file = file;
        this.whenDamaged = whenDamaged;
        this.sessions = new ReadSessions(file, sessions);
        this.chunkCount = CatchAll.closeOnFailure(this.sessions, () -> query(this::readHead));
    }

    /**
     * Opens a manifest file.
     *
     * @throws ForebayException with {@code CORRUPT} if it is not a manifest of a format that this
     *     release reads
     */
    public static SqliteManifest open(Path file) {
        return open(file, () -> {});
    }

    /**
     * Opens a manifest's file like {@link #open(Path)}, and reports damage.
     *
     * @param whenDamaged runs whenever a read finds the file damaged or missing
     */
    public static SqliteManifest open(Path file, Runnable whenDamaged) {
        return new SqliteManifest(file, SESSIONS, whenDamaged);
    }

    private <T> T query(ReadSessions.Query<T> query) {
        try {
            return sessions.query(query);
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.CORRUPT || Files.notExists(file)) {
                whenDamaged.run();
            }
            throw e;
        }
    }

    private long readHead(ReadSession session) throws SQLException {
        try (ResultSet rows = session.prepare("SELECT key, value FROM meta").executeQuery()) {
            while (rows.next()) {
                meta.put(rows.getString(1), rows.getString(2));
            }
        }
        requireMeta("format", ManifestSchema.FORMAT);
        requireMeta("chunk_bytes", Integer.toString(ChunkId.CHUNK_BYTES));
        try (ResultSet rows =
                session.prepare("SELECT ordinal, id, bytes FROM pack ORDER BY ordinal")
                        .executeQuery()) {
            while (rows.next()) {
                PackId id = packId(rows.getString(2));
                packs.add(new Pack(id, rows.getLong(3)));
                ordinals.put(id, rows.getInt(1));
                packIds.put(rows.getInt(1), id);
            }
        }
        try (ResultSet rows =
                session.prepare("SELECT coalesce(max(ordinal) + 1, 0) FROM chunk").executeQuery()) {
            return rows.getLong(1);
        }
    }

    private PackId packId(String text) {
        try {
            return PackId.parse(text);
        } catch (ForebayException _) {
            throw damaged("it has a pack with an invalid id");
        }
    }

    private void requireMeta(String key, String expected) {
        if (!meta(key).equals(expected)) {
            throw damaged("its %s is not %s".formatted(key, expected));
        }
    }

    private String meta(String key) {
        String value = meta.get(key);
        if (value == null) {
            throw damaged("it has no " + key);
        }
        return value;
    }

    private ForebayException damaged(String why) {
        return SqlFailure.damaged(file, why);
    }

    @Override
    public String bucket() {
        return meta("bucket");
    }

    @Override
    public long objects() {
        return Long.parseLong(meta("objects"));
    }

    @Override
    public long bytes() {
        return Long.parseLong(meta("bytes"));
    }

    @Override
    public long chunkCount() {
        return chunkCount;
    }

    @Override
    public List<Pack> packs() {
        return List.copyOf(packs);
    }

    @Override
    public Optional<Node> lookup(long parentId, String name) {
        return query(
                session -> {
                    PreparedStatement statement = session.prepare(LOOKUP);
                    statement.setLong(1, parentId);
                    statement.setString(2, name);
                    Optional<Node> found = one(statement);
                    if (found.isEmpty()) {
                        requireAbsent(session, parentId, name);
                    }
                    return found;
                });
    }

    private void requireAbsent(ReadSession session, long parentId, String name)
            throws SQLException {
        Optional<NameGroup> group = group(session, parentId, name);
        if (group.isPresent() && group.get().names(session).contains(name)) {
            throw damaged("its index does not find a name in directory %d".formatted(parentId));
        }
    }

    /** Returns the group of names that a name belongs to; empty if the node is no directory. */
    private Optional<NameGroup> group(ReadSession session, long parentId, String name)
            throws SQLException {
        Optional<NameGroup> group = NameGroup.of(session, parentId, name);
        if (group.isEmpty() && node(session, parentId).orElse(null) instanceof Node.Directory) {
            throw damaged("it has no names of directory " + parentId);
        }
        return group;
    }

    @Override
    public Optional<Node> node(long id) {
        return query(session -> node(session, id));
    }

    private Optional<Node> node(ReadSession session, long id) throws SQLException {
        PreparedStatement statement = session.prepare(BY_ID);
        statement.setLong(1, id);
        Optional<Node> found = one(statement);
        if (found.isEmpty() && id > 0 && id <= Long.parseLong(meta("nodes"))) {
            throw damaged("it has no node " + id);
        }
        return found;
    }

    private Optional<Node> one(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            return row.next() ? Optional.of(node(row)) : Optional.empty();
        }
    }

    @Override
    public List<Node> readdir(long parentId, String afterName, int limit) {
        return query(
                session -> {
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
                });
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

    private Node node(ResultSet row) throws SQLException {
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
            throw damaged("the row of node %d does not match its checksum".formatted(id));
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
                        size == 0 ? PackLayout.nowhere() : pack(pack),
                        packOffset);
    }

    private PackId pack(int ordinal) {
        PackId id = packIds.get(ordinal);
        if (id == null) {
            throw damaged("it has no pack " + ordinal);
        }
        return id;
    }

    @Override
    public List<Segment> segments(PackId pack, long from, long to) {
        Integer ordinal = ordinals.get(pack);
        if (ordinal == null) {
            return List.of();
        }
        return query(session -> segments(session, ordinal, from, to, new ChunkChecksum()));
    }

    @Override
    public List<Segment> segments(ChunkId chunk) {
        Integer ordinal = ordinals.get(chunk.pack());
        if (ordinal == null) {
            return List.of();
        }
        return query(
                session -> {
                    ChunkChecksum found = new ChunkChecksum();
                    long end = chunk.start() + ChunkId.CHUNK_BYTES;
                    List<Segment> segments = segments(session, ordinal, chunk.start(), end, found);
                    PreparedStatement statement = session.prepare(CHUNK_AT);
                    statement.setInt(1, ordinal);
                    statement.setInt(2, chunk.index());
                    int expected = new ChunkChecksum().ofObjects();
                    try (ResultSet row = statement.executeQuery()) {
                        if (row.next()) {
                            chunk(row);
                            expected = row.getInt(6);
                        }
                    }
                    if (found.ofObjects() != expected) {
                        throw damaged("the row of %s does not match its checksum".formatted(chunk));
                    }
                    return segments;
                });
    }

    private List<Segment> segments(
            ReadSession session, int pack, long from, long to, ChunkChecksum checksum)
            throws SQLException {
        PreparedStatement statement = session.prepare(SEGMENTS);
        statement.setInt(1, pack);
        statement.setLong(2, from);
        statement.setLong(3, to);
        List<Segment> segments = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                if (!(node(row) instanceof Node.File file)) {
                    throw damaged("it has a directory in pack %d".formatted(pack));
                }
                Segment segment = segment(file);
                if (segment.packOffset() + segment.size() > from) {
                    segments.add(segment);
                    checksum.add(row.getInt(11));
                }
            }
        }
        return segments;
    }

    private static Segment segment(Node.File file) {
        return new Segment(
                file.packOffset(),
                new LakeObject(
                        file.key(),
                        file.size(),
                        Instant.EPOCH.plusNanos(file.mtimeNanos()),
                        file.etag(),
                        file.versionId()));
    }

    @Override
    public Tally tally(PackId pack, long from, long to) {
        Integer ordinal = ordinals.get(pack);
        if (ordinal == null) {
            return new Tally(0, 0);
        }
        return query(
                session -> {
                    PreparedStatement statement = session.prepare(TALLY);
                    statement.setInt(1, ordinal);
                    statement.setLong(2, from);
                    statement.setLong(3, to);
                    statement.setLong(4, ChunkId.CHUNK_BYTES);
                    try (ResultSet row = statement.executeQuery()) {
                        return new Tally(row.getLong(1), row.getLong(2));
                    }
                });
    }

    @Override
    public List<ChunkRef> chunks(long fromOrdinal, int limit) {
        return query(
                session -> {
                    PreparedStatement statement = session.prepare(CHUNKS);
                    statement.setLong(1, fromOrdinal);
                    statement.setInt(2, limit);
                    List<ChunkRef> chunks = new ArrayList<>();
                    try (ResultSet row = statement.executeQuery()) {
                        for (long next = fromOrdinal; row.next(); next++) {
                            ChunkRef chunk = chunk(row);
                            if (chunk.ordinal() != next) {
                                throw damaged("it has no chunk " + next);
                            }
                            chunks.add(chunk);
                        }
                    }
                    if (chunks.size() < Math.min(limit, chunkCount - fromOrdinal)) {
                        throw damaged("it has no chunk " + (fromOrdinal + chunks.size()));
                    }
                    return chunks;
                });
    }

    private ChunkRef chunk(ResultSet row) throws SQLException {
        long ordinal = row.getLong(1);
        int pack = row.getInt(2);
        int index = row.getInt(3);
        int length = row.getInt(4);
        int liveBytes = row.getInt(5);
        int crc = ChunkChecksum.ofRow(ordinal, pack, index, length, liveBytes, row.getInt(6));
        if (crc != row.getInt(7)) {
            throw damaged("the row of chunk %d does not match its checksum".formatted(ordinal));
        }
        return new ChunkRef(ordinal, new ChunkId(pack(pack), index), length, liveBytes);
    }

    @Override
    public void close() {
        sessions.close();
    }
}
