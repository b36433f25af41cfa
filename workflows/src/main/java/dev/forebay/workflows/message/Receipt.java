package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.RegionName;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code ensureCached} promises of a region: given when as much as was asked for is there and
 * verified, or, if the caller wants that, when the deadline has passed.
 *
 * @param manifestDigest absent if the version was not listed yet when it was given cold
 * @param objects number of files; 0 as long as there is no manifest
 * @param bytes size of the version; 0 as long as there is no manifest
 * @param bytesVerified bytes in the region whose checksums were verified; equal to {@code bytes} if
 *     all of it was asked for and it is not cold
 * @param bytesFromLake bytes this region took from the lake for its present copy
 * @param bytesFromSiblings bytes it took from other regions for that copy
 * @param path where the version appears on every node of the region; absent if it does not yet
 * @param cachedAt when it became complete; absent if it is not
 * @param pin the pin that was asked for; absent in a cold one that came before it could be taken
 * @param cold why less is there than was asked for; absent if it is not
 * @param others those of the other regions that were asked for, in their order
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

    public Receipt {
        others = others == null ? List.of() : others;
    }

    /** The same with those of other regions. */
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
