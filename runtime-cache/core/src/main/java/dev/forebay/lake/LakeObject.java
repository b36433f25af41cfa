package dev.forebay.lake;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An object as the lake listed it.
 *
 * @param etag what a read is conditional on: the ETag, without quotes; where the lake has none, the
 *     time of the last change stands for it; empty where the version says enough
 * @param versionId only for buckets with versioning
 * @param storageClass as the lake names it, or the tier of it in which the object is archived; null
 *     for the usual one, and for an object that was restored and can be read
 */
public record LakeObject(
        String key,
        long size,
        Instant modified,
        String etag,
        @Nullable String versionId,
        @Nullable String storageClass) {

    /** An object of the usual storage class. */
    public LakeObject(
            String key, long size, Instant modified, String etag, @Nullable String versionId) {
        this(key, size, modified, etag, versionId, null);
    }

    /** Returns the same object in another storage class. */
    public LakeObject in(String otherClass) {
        return new LakeObject(key, size, modified, etag, versionId, otherClass);
    }
}
