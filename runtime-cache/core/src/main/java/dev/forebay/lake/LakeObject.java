package dev.forebay.lake;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An object as the lake listed it.
 *
 * @param etag the condition for reads: the ETag, without quotes. Where the lake has none, the time
 *     of the last change replaces it. Empty where the version id is sufficient
 * @param versionId the version id; null in a bucket without versioning
 * @param storageClass the storage class, or the archive tier within it, as the lake names it. Null
 *     for the usual class, and for an object that was restored and can be read
 */
public record LakeObject(
        String key,
        long size,
        Instant modified,
        String etag,
        @Nullable String versionId,
        @Nullable String storageClass) {

    /** Creates an object of the usual storage class. */
    public LakeObject(
            String key, long size, Instant modified, String etag, @Nullable String versionId) {
        this(key, size, modified, etag, versionId, null);
    }

    /** Returns the same object with another storage class. */
    public LakeObject in(String otherClass) {
        return new LakeObject(key, size, modified, etag, versionId, otherClass);
    }
}
