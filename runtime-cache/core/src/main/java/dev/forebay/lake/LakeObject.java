package dev.forebay.lake;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An object as the lake listed it.
 *
 * @param etag without quotes
 * @param versionId only for buckets with versioning
 */
public record LakeObject(
        String key, long size, Instant modified, String etag, @Nullable String versionId) {}
