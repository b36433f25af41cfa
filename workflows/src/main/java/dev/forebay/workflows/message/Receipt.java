package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.RegionName;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to {@code ensureCached} for a region. It is given when the requested coverage is
 * present and verified or, if the client accepts that, when the deadline has passed.
 *
 * @param manifestDigest absent in a cold receipt for a version that was not listed yet
 * @param objects number of files; 0 while there is no manifest
 * @param bytes size of the version; 0 while there is no manifest
 * @param bytesVerified bytes in the region whose checksums were verified; equal to {@code bytes} if
 *     the client requested the whole version and the receipt is not cold
 * @param bytesFromLake bytes this region took from the lake for its present copy
 * @param bytesFromSiblings bytes this region took from sibling regions for that copy
 * @param path where the version appears on every node of the region; absent if it does not yet
 * @param cachedAt when the copy became complete; absent if it is not
 * @param pin the requested pin; absent in a cold receipt if the pin could not be taken in time
 * @param cold why the coverage is less than requested; absent if it is not
 * @param others the receipts of the other requested regions, in their order
 */
public record Receipt(
        DatasetVersion version,
        @Nullable Digest manifestDigest,
        long objects,
        long bytes,
        RegionName region,
        long bytesVerified,
        long bytesFromLake,
        long bytesFromSiblings,
        @Nullable String path,
        @Nullable Instant cachedAt,
        @Nullable PinGrant pin,
        String workflowId,
        @Nullable Problem cold,
        List<Receipt> others) {

    /** Returns the same receipt with those of other regions. */
    public Receipt with(List<Receipt> ofOthers) {
        return new Receipt(
                version,
                manifestDigest,
                objects,
                bytes,
                region,
                bytesVerified,
                bytesFromLake,
                bytesFromSiblings,
                path,
                cachedAt,
                pin,
                workflowId,
                cold,
                ofOthers);
    }
}
