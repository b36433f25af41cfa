package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.message.Problem;
import io.temporal.activity.ActivityInterface;
import org.jspecify.annotations.Nullable;

/**
 * Following the lake; on {@link dev.forebay.workflows.TaskQueues#LIFECYCLE}, and the check on
 * {@link dev.forebay.workflows.TaskQueues#TRACKING}.
 */
@ActivityInterface
public interface TrackingActivities {

    /**
     * Lists the dataset's source and compares it with the dataset's newest frozen version. If they
     * differ, or there is none, what was listed becomes a new version; none that is there is
     * touched. Idempotent: once {@code version} is there, nothing is listed. Heartbeats the number
     * of objects listed.
     *
     * @param version what a new version is to be named
     */
    Check check(DatasetName dataset, String version);

    /** Writes down that a check was given up. */
    void failed(DatasetName dataset, Problem problem);

    /**
     * What a check found.
     *
     * @param made the version that was made; null if nothing has changed
     * @param changed objects that are not what they were
     * @param added objects that were not there
     * @param removed objects that are not there any more
     */
    record Check(@Nullable DatasetVersion made, long changed, long added, long removed) {}
}
