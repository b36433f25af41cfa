package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import org.jspecify.annotations.Nullable;

/**
 * What the filling of a region starts with.
 *
 * @param bytesFromLake bytes that earlier attempts took from the lake for this copy
 * @param carried where the run before stopped, when this one continues it
 * @param urgency before whom its activities are taken up
 */
public record PrewarmInput(
        DatasetVersion version,
        ManifestRef manifest,
        RegionName region,
        long bytesFromLake,
        @Nullable Cursor carried,
        Urgency urgency) {

    public PrewarmInput {
        urgency = urgency == null ? Urgency.INTERACTIVE : urgency;
    }

    /**
     * How far the filling is.
     *
     * @param path where the version is mounted
     * @param round how often the region was confirmed to be incomplete
     * @param next the ordinal of the first chunk not yet warmed in this round
     * @param bytesVerified bytes known to be present and verified
     * @param bytesFromLake bytes taken from the lake for this copy
     * @param reported percent of the chunks of which the parent knows
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
