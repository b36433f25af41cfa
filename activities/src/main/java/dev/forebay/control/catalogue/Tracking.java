package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import dev.forebay.workflows.activity.TrackingActivities.Check;
import dev.forebay.workflows.message.Problem;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A dataset that follows its source.
 *
 * @param interval between checks
 * @param last null until the first check is over
 */
public record Tracking(
        DatasetName dataset, Duration interval, Instant createdAt, @Nullable LastCheck last) {

    /**
     * The last check.
     *
     * @param found what it found; nothing if it was given up
     * @param problem why it was given up; null if it was not
     */
    public record LastCheck(Instant at, Check found, @Nullable Problem problem) {}
}
