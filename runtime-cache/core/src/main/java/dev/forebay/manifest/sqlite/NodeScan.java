package dev.forebay.manifest.sqlite;

import dev.forebay.manifest.Manifest;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads all nodes of a manifest's tree, ordered by id. A directory comes before its content.
 *
 * <p>Methods about content apply to files only. Not thread-safe.
 */
public final class NodeScan implements AutoCloseable {

    private static final String NODES =
            "SELECT id, parent, mtime_ns, size IS NULL, size, pack, pack_offset, key, etag,"
                    + " version_id FROM node ORDER BY id";

    private final RowScan rows;
    private final long[] ordinals;

    private NodeScan(RowScan rows, long[] ordinals) {
        this.rows = rows;
        this.ordinals = ordinals;
    }

    /**
     * Opens a scan of a local, verified manifest file, positioned before the first node, which is
     * the root.
     *
     * @throws dev.forebay.model.ForebayException with {@code CORRUPT} if the file is damaged; this
     *     applies to all methods
     */
    public static NodeScan of(Path file) {
        LongStream.Builder ordinals = LongStream.builder();
        try (RowScan packs = RowScan.of(file, "SELECT ordinal FROM pack ORDER BY ordinal")) {
            while (packs.next()) {
                ordinals.add(packs.integer(1));
            }
        }
        return new NodeScan(RowScan.of(file, NODES), ordinals.build().toArray());
    }

    /** Advances to the next node. Returns false after the last one. */
    public boolean next() {
        return rows.next();
    }

    public long id() {
        return rows.integer(1);
    }

    /** Returns the id of the parent directory; 0 for the root. */
    public long parent() {
        return rows.integer(2);
    }

    /** Returns the modification time, since the epoch. */
    public long mtimeNanos() {
        return rows.integer(3);
    }

    public boolean isDirectory() {
        return rows.integer(4) != 0;
    }

    /** Returns the file's size in bytes. */
    public long size() {
        return rows.integer(5);
    }

    /**
     * Returns the index in {@link Manifest#packs} of the pack with the file's bytes. The file must
     * not be empty.
     */
    public int pack() {
        int index = Arrays.binarySearch(ordinals, rows.integer(6));
        if (index < 0) {
            throw rows.damaged("it has no pack " + rows.integer(6));
        }
        return index;
    }

    /** Returns the offset in the pack, in bytes, of a file that is not empty. */
    public long packOffset() {
        return rows.integer(7);
    }

    /** Returns the file's key in the lake, in UTF-8. */
    public byte[] key() {
        return rows.requiredText(8);
    }

    /** Returns the file's ETag, in UTF-8. */
    public byte[] etag() {
        return rows.requiredText(9);
    }

    /** Returns the file's version id in the lake, in UTF-8; null in a bucket without versioning. */
    public byte @Nullable [] versionId() {
        return rows.text(10);
    }

    @Override
    public void close() {
        rows.close();
    }
}
