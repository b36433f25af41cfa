package dev.forebay.control.catalogue.tracking;

import dev.forebay.model.DatasetName;
import dev.forebay.workflows.activity.TrackingActivities.Check;
import dev.forebay.workflows.message.Problem;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A dataset that follows its source.
 *
 * @param interval the time between checks
 * @param last the last check; null until the first one ends
 */
public record Tracking(
        DatasetName dataset, Duration interval, Instant createdAt, @Nullable LastCheck last) {

    /**
     * The result of the last check.
     *
     * @param found the differences that it found; all zero if the check failed
     * @param problem why the check failed; null if it succeeded
     */
    public record LastCheck(Instant at, Check found, @Nullable Problem problem) {}
}
