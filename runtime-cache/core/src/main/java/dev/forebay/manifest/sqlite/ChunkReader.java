package dev.forebay.manifest.sqlite;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.ChunkTotals;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Segment;
import dev.forebay.model.ChunkId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads which objects are in packs and chunks, and compares each row with its checksum.
 * Thread-safe. Packs are named by their number in the manifest.
 */
final class ChunkReader {

    // Objects do not overlap. Only the last of the objects that begin before the range can reach
    // into it.
    private static final String SEGMENTS =
            NodeReader.NODE
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

    private final ManifestHead head;
    private final NodeReader nodes;

    ChunkReader(ManifestHead head, NodeReader nodes) {
        this.head = head;
        this.nodes = nodes;
    }

    List<Segment> segments(ReadSession session, int pack, long from, long to) throws SQLException {
        return segments(session, pack, from, to, new ChunkChecksum());
    }

    List<Segment> segments(ReadSession session, int pack, ChunkId chunk) throws SQLException {
        ChunkChecksum found = new ChunkChecksum();
        long end = chunk.start() + ChunkId.CHUNK_BYTES;
        List<Segment> segments = segments(session, pack, chunk.start(), end, found);
        PreparedStatement statement = session.prepare(CHUNK_AT);
        statement.setInt(1, pack);
        statement.setInt(2, chunk.index());
        int expected = new ChunkChecksum().ofObjects();
        try (ResultSet row = statement.executeQuery()) {
            if (row.next()) {
                chunk(row);
                expected = row.getInt(6);
            }
        }
        if (found.ofObjects() != expected) {
            throw head.damaged("the row of %s does not match its checksum".formatted(chunk));
        }
        return segments;
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
                if (!(nodes.node(row) instanceof Node.File file)) {
                    throw head.damaged("it has a directory in pack %d".formatted(pack));
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

    ChunkTotals tally(ReadSession session, int pack, long from, long to) throws SQLException {
        PreparedStatement statement = session.prepare(TALLY);
        statement.setInt(1, pack);
        statement.setLong(2, from);
        statement.setLong(3, to);
        statement.setLong(4, ChunkId.CHUNK_BYTES);
        try (ResultSet row = statement.executeQuery()) {
            return new ChunkTotals(row.getLong(1), row.getLong(2));
        }
    }

    List<ChunkRef> chunks(ReadSession session, long fromOrdinal, int limit) throws SQLException {
        PreparedStatement statement = session.prepare(CHUNKS);
        statement.setLong(1, fromOrdinal);
        statement.setInt(2, limit);
        List<ChunkRef> chunks = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            for (long next = fromOrdinal; row.next(); next++) {
                ChunkRef chunk = chunk(row);
                if (chunk.ordinal() != next) {
                    throw head.damaged("it has no chunk " + next);
                }
                chunks.add(chunk);
            }
        }
        if (chunks.size() < Math.min(limit, head.chunkCount() - fromOrdinal)) {
            throw head.damaged("it has no chunk " + (fromOrdinal + chunks.size()));
        }
        return chunks;
    }

    private ChunkRef chunk(ResultSet row) throws SQLException {
        long ordinal = row.getLong(1);
        int pack = row.getInt(2);
        int index = row.getInt(3);
        int length = row.getInt(4);
        int liveBytes = row.getInt(5);
        int crc = ChunkChecksum.ofRow(ordinal, pack, index, length, liveBytes, row.getInt(6));
        if (crc != row.getInt(7)) {
            throw head.damaged(
                    "the row of chunk %d does not match its checksum".formatted(ordinal));
        }
        return new ChunkRef(ordinal, new ChunkId(head.pack(pack), index), length, liveBytes);
    }
}
