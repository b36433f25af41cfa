package dev.forebay.workflows.activity;

import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.activity.ActivityInterface;
import java.util.List;

/**
 * Keeps the catalogue's read models up to date. Runs on {@link
 * dev.forebay.workflows.TaskQueues#LIFECYCLE}.
 */
@ActivityInterface
public interface CatalogueActivities {

    /**
     * Replaces the catalogue's record of a version by {@code status}, unless the catalogue has a
     * later one. Idempotent. Fails with INVALID_ARGUMENT if the catalogue cannot store {@code
     * status}; a retry cannot help then.
     *
     * @param revision grows with every status of the version, over all runs of its workflow
     * @param news history entries since the last call; some may have been delivered before
     */
    void project(VersionStatus status, long revision, List<HistoryEntry> news);
}
