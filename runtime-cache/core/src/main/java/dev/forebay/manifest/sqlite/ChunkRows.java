package dev.forebay.manifest.sqlite;

import dev.forebay.manifest.PackRow;
import dev.forebay.model.ChunkId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the {@code chunk} table from the objects in pack order. It has a row for every chunk with
 * live bytes. The row has a checksum of its objects' rows, so that a reader notices if the index
 * has lost one of them.
 */
public final class ChunkRows {

    private final PreparedStatement insert;
    private final Map<Integer, PackRow> packs = new HashMap<>();
    private long count;
    private int pack = -1;
    private int index = -1;
    private int liveBytes;
    private ChunkChecksum checksum = new ChunkChecksum();

    private ChunkRows(PreparedStatement insert, List<PackRow> laid) {
        this.insert = insert;
        laid.forEach(row -> packs.put(row.ordinal(), row));
    }

    /** Writes the table and returns the number of chunks. */
    public static long fill(Connection connection, List<PackRow> packs) throws SQLException {
        try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO chunk VALUES (?,?,?,?,?,?,?)");
                Statement select = connection.createStatement();
                ResultSet objects =
                        select.executeQuery(
                                "SELECT pack, pack_offset, size, crc32c FROM node WHERE size > 0"
                                        + " ORDER BY pack, pack_offset")) {
            ChunkRows table = new ChunkRows(insert, packs);
            while (objects.next()) {
                table.add(
                        objects.getInt(1),
                        objects.getLong(2),
                        objects.getLong(3),
                        objects.getInt(4));
            }
            table.flush();
            return table.count;
        }
    }

    private void add(int objectPack, long offset, long size, int crc) throws SQLException {
        long end = offset + size;
        for (long at = offset; at < end; ) {
            int chunk = Math.toIntExact(at / ChunkId.CHUNK_BYTES);
            if (objectPack != pack || chunk != index) {
                flush();
                pack = objectPack;
                index = chunk;
            }
            long next = Math.min(end, (chunk + 1L) * ChunkId.CHUNK_BYTES);
            liveBytes += (int) (next - at);
            checksum.add(crc);
            at = next;
        }
    }

    private void flush() throws SQLException {
        PackRow laid = packs.get(pack);
        if (liveBytes == 0 || laid == null) {
            return;
        }
        int length = new ChunkId(laid.id(), index).length(laid.bytes());
        insert.setLong(1, count);
        insert.setInt(2, pack);
        insert.setInt(3, index);
        insert.setInt(4, length);
        insert.setInt(5, liveBytes);
        insert.setInt(6, checksum.ofObjects());
        insert.setInt(7, checksum.ofRow(count, pack, index, length, liveBytes));
        insert.executeUpdate();
        count++;
        liveBytes = 0;
        checksum = new ChunkChecksum();
    }
}
