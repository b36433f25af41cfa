package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What {@code ensureCached} promises: it is given only when every byte is in the region and
 * verified.
 *
 * @param bytes size of the version
 * @param bytesVerified bytes in the region whose checksums were verified; equal to {@code bytes}
 * @param bytesFromLake bytes this region took from the lake for its present copy
 * @param path where the version appears on every node of the region
 * @param pin the pin that was asked for
 */
public record Receipt(
        DatasetVersion version,
        Digest manifestDigest,
        long objects,
        long bytes,
        RegionName region,
        long bytesVerified,
        long bytesFromLake,
        String path,
        Instant cachedAt,
        @Nullable PinGrant pin,
        String workflowId) {}
