package dev.forebay.workflows.activity;

import dev.forebay.workflows.message.Happening;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.activity.ActivityInterface;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeping the catalogue's read-models; on {@link dev.forebay.workflows.TaskQueues#LIFECYCLE}. */
@ActivityInterface
public interface CatalogueActivities {

    /**
     * Replaces what the catalogue says of a version by {@code status}, unless it has heard of a
     * later one. Idempotent; fails with INVALID_ARGUMENT if the catalogue cannot hold {@code
     * status}, however often it is asked.
     *
     * @param revision grows with every status of the version, over all runs of its workflow; 0 from
     *     workflow code that knew of none
     * @param news what has happened since it was told last, perhaps told before; absent from
     *     workflow code that kept none
     */
    void project(VersionStatus status, long revision, @Nullable List<Happening> news);
}
