package dev.forebay.manifest;

import java.nio.file.Path;

/**
 * All names of a manifest's tree from beginning to end: ordered by the id of the directory that
 * they are in, and there by their UTF-8 bytes.
 *
 * <p>Reads the index by name alone. For one thread at a time.
 */
public final class EntryScan implements AutoCloseable {

    private static final String ENTRIES =
            "SELECT parent, id, name FROM node INDEXED BY node_by_name WHERE parent > 0"
                    + " ORDER BY parent, name";

    private final RowScan rows;

    private EntryScan(RowScan rows) {
        this.rows = rows;
    }

    /**
     * Begins before the first name of a local, verified manifest file.
     *
     * @throws dev.forebay.model.ForebayException with {@code CORRUPT} if it is damaged, as all
     *     methods
     */
    public static EntryScan of(Path file) {
        return new EntryScan(RowScan.of(file, ENTRIES));
    }

    /** Goes to the next name; false behind the last one. */
    public boolean next() {
        return rows.next();
    }

    /** The id of the directory that the name is in. */
    public long parent() {
        return rows.integer(1);
    }

    /** The id of the node that has the name. */
    public long id() {
        return rows.integer(2);
    }

    /** The name in UTF-8. */
    public byte[] name() {
        return rows.requiredText(3);
    }

    @Override
    public void close() {
        rows.close();
    }
}
