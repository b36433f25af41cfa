package dev.forebay.manifest;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * All nodes of a manifest's tree from beginning to end, ordered by id. A directory comes before
 * what is in it.
 *
 * <p>For one thread at a time. What it says of a file's content, it does not say of a directory.
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
     * Begins before the first node, that is the root, of a local, verified manifest file.
     *
     * @throws dev.forebay.model.ForebayException with {@code CORRUPT} if it is damaged, as all
     *     methods
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

    /** Goes to the next node; false behind the last one. */
    public boolean next() {
        return rows.next();
    }

    public long id() {
        return rows.integer(1);
    }

    /** The id of the directory that it is in; 0 for the root. */
    public long parent() {
        return rows.integer(2);
    }

    /** Since the epoch. */
    public long mtimeNanos() {
        return rows.integer(3);
    }

    public boolean isDirectory() {
        return rows.integer(4) != 0;
    }

    /** The file's size in bytes. */
    public long size() {
        return rows.integer(5);
    }

    /** Which of {@link Manifest#packs} has the bytes of a file that is not empty. */
    public int pack() {
        int index = Arrays.binarySearch(ordinals, rows.integer(6));
        if (index < 0) {
            throw rows.damaged("it has no pack " + rows.integer(6));
        }
        return index;
    }

    /** Where in the pack a file that is not empty begins, in bytes. */
    public long packOffset() {
        return rows.integer(7);
    }

    /** The file's key in the lake, in UTF-8. */
    public byte[] key() {
        return rows.requiredText(8);
    }

    /** The file's ETag, in UTF-8. */
    public byte[] etag() {
        return rows.requiredText(9);
    }

    /** The file's version in the lake, in UTF-8; null if the bucket has none. */
    public byte @Nullable [] versionId() {
        return rows.text(10);
    }

    @Override
    public void close() {
        rows.close();
    }
}
