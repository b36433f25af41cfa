package dev.forebay.workflows.input;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Urgency;
import org.jspecify.annotations.Nullable;

/**
 * The input of the workflow that fills a region.
 *
 * @param bytesFromLake bytes that earlier attempts took from the lake for this copy
 * @param carried where the previous run stopped, if this run continues it
 * @param urgency the priority of its activities
 */
public record PrewarmInput(
        DatasetVersion version,
        ManifestRef manifest,
        RegionName region,
        long bytesFromLake,
        @Nullable Cursor carried,
        Urgency urgency) {

    /**
     * The progress of the fill.
     *
     * @param path where the version is mounted
     * @param round how many confirmations have found the region incomplete
     * @param next the ordinal of the first chunk not yet filled in this round
     * @param bytesVerified bytes known to be present and verified
     * @param bytesFromLake bytes taken from the lake for this copy
     * @param reported the last step of {@code BatchSizes.step} that the parent workflow knows
     * @param objects files filled to their last byte
     */
    public record Cursor(
            String path,
            int round,
            long next,
            long bytesVerified,
            long bytesFromLake,
            int reported,
            long objects) {}
}
