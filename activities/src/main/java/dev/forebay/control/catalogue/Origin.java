package dev.forebay.control.catalogue;

import dev.forebay.manifest.Comparison;
import dev.forebay.model.DatasetVersion;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a version was made from.
 *
 * @param source of the dataset, at that time
 * @param keys the list of keys that was read, if the source has one
 * @param before the version that it was compared with, and whose packs it uses; null if it was the
 *     first
 */
public record Origin(
        LakeSource source,
        @Nullable ListIdentity keys,
        @Nullable DatasetVersion before,
        Comparison comparison,
        Instant frozenAt) {

    /** Which content of an object was read. */
    public record ListIdentity(String etag, @Nullable String versionId) {}
}
