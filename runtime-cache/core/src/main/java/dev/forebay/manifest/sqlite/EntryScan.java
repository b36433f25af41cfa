package dev.forebay.manifest.sqlite;

import java.nio.file.Path;

/**
 * Reads all names of a manifest's tree, ordered by the id of their directory, and within it by
 * their UTF-8 bytes.
 *
 * <p>Reads only the index by name. Not thread-safe.
 */
public final class EntryScan implements AutoCloseable {

    static final String ENTRIES =
            "SELECT parent, id, name FROM node INDEXED BY node_by_name WHERE parent > 0"
                    + " ORDER BY parent, name";

    private final RowScan rows;

    private EntryScan(RowScan rows) {
        this.rows = rows;
    }

    /**
     * Opens a scan of a local, verified manifest file, positioned before the first name.
     *
     * @throws dev.forebay.model.ForebayException with {@code CORRUPT} if the file is damaged; this
     *     applies to all methods
     */
    public static EntryScan of(Path file) {
        return new EntryScan(RowScan.of(file, ENTRIES));
    }

    /** Advances to the next name. Returns false after the last one. */
    public boolean next() {
        return rows.next();
    }

    /** Returns the id of the directory with this name. */
    public long parent() {
        return rows.integer(1);
    }

    /** Returns the id of the node with this name. */
    public long id() {
        return rows.integer(2);
    }

    /** Returns the name in UTF-8. */
    public byte[] name() {
        return rows.requiredText(3);
    }

    @Override
    public void close() {
        rows.close();
    }
}
