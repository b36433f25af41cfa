package dev.forebay.manifest;

import dev.forebay.model.PackId;
import org.jspecify.annotations.Nullable;

/**
 * A file or directory of a version's tree.
 *
 * <p>{@code id} is unique in the version, equal on all machines, and usable as an inode number. The
 * root has {@link #ROOT_ID}. Times are nanoseconds since the epoch. A directory has the time of the
 * newest object below it.
 */
public sealed interface Node {

    /** The id of the root directory of every version. */
    long ROOT_ID = 1;

    long id();

    /** Returns the last component of the path; empty for the root. */
    String name();

    long mtimeNanos();

    record Directory(long id, String name, long mtimeNanos) implements Node {}

    /**
     * A file, which is one lake object.
     *
     * @param packOffset where the object's bytes begin in {@code pack}, a multiple of 4 KiB
     */
    record File(
            long id,
            String name,
            long mtimeNanos,
            long size,
            String key,
            String etag,
            @Nullable String versionId,
            PackId pack,
            long packOffset)
            implements Node {}
}
