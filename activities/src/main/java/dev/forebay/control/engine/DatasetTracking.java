package dev.forebay.control.engine;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.Tracking;
import dev.forebay.control.catalogue.TrackingCatalogue;
import dev.forebay.control.engine.DriftSchedules.State;
import dev.forebay.control.engine.TemporalCalls.NoSuchRunException;
import dev.forebay.model.DatasetName;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Datasets that follow their source: which they are is in the catalogue, when they are checked is
 * in Temporal's Schedules. Safe for use by many threads.
 *
 * <p>Every call throws {@link ForebayException} with {@code NOT_FOUND} for an unknown dataset, and
 * for one that is not followed; {@code UNAVAILABLE} if Temporal does not answer, and all may be
 * sent again.
 */
@Singleton
public class DatasetTracking {

    /** Between two checks, at least. */
    public static final Duration SHORTEST = Duration.ofSeconds(10);

    /** Between two checks, at most. */
    public static final Duration LONGEST = Duration.ofDays(30);

    private static final int PAGE = 500;

    private final DatasetCatalogue datasets;
    private final TrackingCatalogue catalogue;
    private final DriftSchedules schedules;
    private final TemporalCalls temporal;
    private final Duration defaultInterval;

    DatasetTracking(
            DatasetCatalogue datasets,
            TrackingCatalogue catalogue,
            DriftSchedules schedules,
            TemporalCalls temporal,
            ControlPlaneConfig config) {
        this.datasets = datasets;
        this.catalogue = catalogue;
        this.schedules = schedules;
        this.temporal = temporal;
        this.defaultInterval = config.tracking().interval();
    }

    /**
     * How a dataset is followed.
     *
     * @param nextCheck null if it is paused
     */
    public record Followed(Tracking tracking, boolean paused, @Nullable Instant nextCheck) {}

    /**
     * Has a dataset followed.
     *
     * @param interval between checks; as it is, or the default, if empty
     * @param paused whether it pauses; as it is, or not, if empty
     * @throws ForebayException {@code NOT_FOUND} also if the dataset was deleted
     */
    public Followed follow(
            DatasetName name, Optional<Duration> interval, Optional<Boolean> paused) {
        DatasetName dataset = datasets.require(name).name();
        Duration every =
                interval.or(() -> catalogue.find(dataset).map(Tracking::interval))
                        .orElse(defaultInterval);
        catalogue.put(dataset, every);
        call(() -> schedules.put(dataset, every, paused));
        return get(dataset);
    }

    /** How a dataset is followed, and what the last check found. */
    public Followed get(DatasetName name) {
        Tracking tracking = require(name);
        try {
            State state = temporal.call(() -> schedules.state(name));
            return new Followed(tracking, state.paused(), state.next().orElse(null));
        } catch (NoSuchRunException gone) {
            throw noSchedule(name, gone);
        }
    }

    /** Has a dataset checked now, also if it pauses; returns when that is asked for. */
    public Followed check(DatasetName name) {
        require(name);
        call(() -> schedules.trigger(name));
        return get(name);
    }

    /** Has a dataset followed no more; its versions stay. Does nothing if it is not followed. */
    public void stop(DatasetName name) {
        DatasetName dataset = datasets.get(name).name();
        try {
            call(() -> schedules.delete(dataset));
        } catch (ForebayException e) {
            if (e.code() != ErrorCode.NOT_FOUND) {
                throw e;
            }
        }
        catalogue.remove(dataset);
    }

    /** Makes the Schedules that are missing: Temporal may have been lost, or away. */
    void ensureScheduled(Chores chores) {
        chores.add("schedules of tracked datasets", () -> addPage(null, chores));
    }

    private void addPage(@Nullable DatasetName after, Chores chores) {
        List<Tracking> page = catalogue.list(after, PAGE);
        for (Tracking tracking : page) {
            DatasetName dataset = tracking.dataset();
            chores.add("schedule of " + dataset, () -> ensureScheduled(dataset));
        }
        if (!page.isEmpty()) {
            DatasetName last = page.getLast().dataset();
            chores.add("schedules of tracked datasets after " + last, () -> addPage(last, chores));
        }
    }

    /** As the catalogue says now: somebody may have changed it since it was listed. */
    private void ensureScheduled(DatasetName dataset) {
        catalogue
                .find(dataset)
                .ifPresent(
                        now ->
                                call(
                                        () ->
                                                schedules.put(
                                                        dataset,
                                                        now.interval(),
                                                        Optional.empty())));
    }

    private void call(Runnable work) {
        try {
            temporal.<@Nullable Void>call(
                    () -> {
                        work.run();
                        return null;
                    });
        } catch (NoSuchRunException gone) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND, "Temporal has no such Schedule (any more)", gone);
        }
    }

    private Tracking require(DatasetName name) {
        DatasetName dataset = datasets.get(name).name();
        return catalogue
                .find(dataset)
                .orElseThrow(
                        () ->
                                new ForebayException(
                                        ErrorCode.NOT_FOUND,
                                        "dataset %s does not follow its source: 'forebay tracking on %s' has it do so"
                                                .formatted(dataset, dataset)));
    }

    private static ForebayException noSchedule(DatasetName name, Throwable cause) {
        return new ForebayException(
                ErrorCode.NOT_FOUND,
                "dataset %s follows its source, but its Schedule was deleted in Temporal: 'forebay tracking on %s' makes it anew"
                        .formatted(name, name),
                cause);
    }
}
