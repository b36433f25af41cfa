package dev.forebay.fuse.fs;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;

/** Reads of packs whose failures say which bytes of which version could not be had. */
public final class PackReads {

    private PackReads() {}

    /**
     * Runs a read.
     *
     * @param from in the pack
     * @throws ForebayException as the read does, with the version and the pack in its message: the
     *     version may have left the tree meanwhile, and then nobody knows the inode any more
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
