package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.model.Sibling;
import io.temporal.activity.ActivityInterface;
import java.util.List;

/**
 * Chooses the sibling regions that fills take bytes from. Runs on {@link
 * dev.forebay.workflows.TaskQueues#LIFECYCLE}.
 */
@ActivityInterface
public interface SiblingActivities {

    /**
     * Returns the sibling regions to ask for a version's bytes before the lake, because the bytes
     * missing in {@code region} cost less from there. The cheapest comes first, at most {@link
     * Sibling#MOST} are returned, and none if the lake is cheapest. A plan made at the same moment
     * has the same regions.
     */
    List<Sibling> siblings(DatasetVersion version, RegionName region, ManifestRef manifest);
}
