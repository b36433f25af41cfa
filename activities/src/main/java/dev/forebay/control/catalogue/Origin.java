package dev.forebay.control.catalogue;

import dev.forebay.manifest.Comparison;
import dev.forebay.model.DatasetVersion;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The listing from which a version was made.
 *
 * @param source the source of the dataset at that time
 * @param keys the list of keys that was read; null if the source has none
 * @param before the version that it was compared with, and whose packs it uses; null for the first
 *     version
 */
public record Origin(
        LakeSource source,
        @Nullable ListIdentity keys,
        @Nullable DatasetVersion before,
        Comparison comparison,
        Instant frozenAt) {

    /** Identifies the content of the list of keys. */
    public record ListIdentity(String etag, @Nullable String versionId) {}
}
