package dev.forebay.lake;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An object as the lake listed it.
 *
 * @param etag what a read is conditional on: the ETag, without quotes; where the lake has none, the
 *     time of the last change stands for it; empty where the version says enough
 * @param versionId only for buckets with versioning
 */
public record LakeObject(
        String key, long size, Instant modified, String etag, @Nullable String versionId) {}
