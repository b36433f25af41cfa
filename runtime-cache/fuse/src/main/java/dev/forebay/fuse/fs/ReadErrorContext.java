package dev.forebay.fuse.fs;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;

/** Adds the version, the pack and the offset to the messages of failed reads. */
public final class ReadErrorContext {

    private ReadErrorContext() {}

    /**
     * Runs a read.
     *
     * @param from the first byte in the pack
     * @throws ForebayException the exception of the read, with version and pack in its message: if
     *     the version has left the tree, the inode alone would identify nothing
     */
    public static void named(DatasetVersion version, PackId pack, long from, Runnable read) {
        try {
            read.run();
        } catch (ForebayException e) {
            throw e.withMessage(
                    "%s, pack %s at byte %d: %s".formatted(version, pack, from, e.getMessage()));
        }
    }
}
