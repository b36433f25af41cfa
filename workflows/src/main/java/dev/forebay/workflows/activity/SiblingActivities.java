package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.model.Sibling;
import io.temporal.activity.ActivityInterface;
import java.util.List;

/**
 * From which other regions fillings take bytes; on {@link
 * dev.forebay.workflows.TaskQueues#LIFECYCLE}.
 */
@ActivityInterface
public interface SiblingActivities {

    /**
     * The other regions that are to be asked for a version's bytes before the lake, because what is
     * missing in {@code region} costs less from there: the cheapest first, at most {@link
     * Sibling#MOST}; none if the lake is the cheapest. What a plan says at the same moment.
     */
    List<Sibling> siblings(DatasetVersion version, RegionName region, ManifestRef manifest);
}
