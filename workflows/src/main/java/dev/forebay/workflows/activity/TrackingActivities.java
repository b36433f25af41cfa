package dev.forebay.workflows.activity;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.message.Problem;
import io.temporal.activity.ActivityInterface;
import org.jspecify.annotations.Nullable;

/**
 * Follows changes in the lake. Runs on {@link dev.forebay.workflows.TaskQueues#LIFECYCLE}, and
 * {@link #check} on {@link dev.forebay.workflows.TaskQueues#TRACKING}.
 */
@ActivityInterface
public interface TrackingActivities {

    /**
     * Lists the dataset's source and compares it with the dataset's newest frozen version. If they
     * differ, or if there is no version, freezes the listing as a new version. Never changes an
     * existing version. Idempotent: once {@code version} exists, nothing is listed. Heartbeats the
     * number of objects listed.
     *
     * @param version the name of a new version
     */
    Check check(DatasetName dataset, String version);

    /** Records that a check was given up. */
    void failed(DatasetName dataset, Problem problem);

    /**
     * The result of a check.
     *
     * @param made the new version; null if nothing has changed
     * @param changed objects that differ
     * @param added objects that are new
     * @param removed objects that no longer exist
     */
    record Check(@Nullable DatasetVersion made, long changed, long added, long removed) {}
}
