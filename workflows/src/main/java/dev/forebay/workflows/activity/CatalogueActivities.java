package dev.forebay.workflows.activity;

import dev.forebay.workflows.message.VersionStatus;
import io.temporal.activity.ActivityInterface;

/** Keeping the catalogue's read-models; on {@link dev.forebay.workflows.TaskQueues#LIFECYCLE}. */
@ActivityInterface
public interface CatalogueActivities {

    /** Replaces what the catalogue says of a version by {@code status}. Idempotent. */
    void project(VersionStatus status);
}
