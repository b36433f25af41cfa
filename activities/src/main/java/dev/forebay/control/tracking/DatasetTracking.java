package dev.forebay.control.tracking;

import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.tracking.Tracking;
import dev.forebay.control.catalogue.tracking.TrackingCatalogue;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.temporal.StartupTasks;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.control.tracking.DriftSchedules.State;
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
 * Manages the datasets that follow their source. The catalogue lists them, Temporal's Schedules
 * start their checks. Thread-safe.
 *
 * <p>Every call throws {@link ForebayException} with {@code NOT_FOUND} if the dataset is unknown or
 * does not follow its source, or with {@code UNAVAILABLE} if Temporal does not answer. Every call
 * may be repeated.
 */
@Singleton
public class DatasetTracking {

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
     * The tracking of a dataset.
     *
     * @param nextCheck null if it is paused
     */
    public record Followed(Tracking tracking, boolean paused, @Nullable Instant nextCheck) {}

    /**
     * Starts following the source of a dataset, or changes how.
     *
     * @param interval the interval between checks; empty keeps it, or sets the default
     * @param paused whether to pause the checks; empty keeps the state, or does not pause
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

    /** Returns the tracking of a dataset, with the result of its last check. */
    public Followed get(DatasetName name) {
        Tracking tracking = require(name);
        try {
            State state = temporal.call(() -> schedules.state(name));
            return new Followed(tracking, state.paused(), state.next().orElse(null));
        } catch (NoSuchRunException gone) {
            throw noSchedule(name, gone);
        }
    }

    /**
     * Starts a check now, even if the tracking is paused. Returns once Temporal has accepted it.
     */
    public Followed check(DatasetName name) {
        require(name);
        call(() -> schedules.trigger(name));
        return get(name);
    }

    /**
     * Stops following the source of a dataset. Its versions stay. Does nothing if it does not
     * follow it.
     */
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

    /** Creates missing Schedules, because Temporal may have been lost or down. */
    public void ensureScheduled(StartupTasks startupTasks) {
        startupTasks.add("schedules of tracked datasets", () -> addPage(null, startupTasks));
    }

    private void addPage(@Nullable DatasetName after, StartupTasks startupTasks) {
        List<Tracking> page = catalogue.list(after, PAGE);
        for (Tracking tracking : page) {
            DatasetName dataset = tracking.dataset();
            startupTasks.add("schedule of " + dataset, () -> ensureScheduled(dataset));
        }
        if (!page.isEmpty()) {
            DatasetName last = page.getLast().dataset();
            startupTasks.add(
                    "schedules of tracked datasets after " + last,
                    () -> addPage(last, startupTasks));
        }
    }

    /**
     * Reads the catalogue again, because a user may have changed the tracking since it was listed.
     */
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
                    ErrorCode.NOT_FOUND, "Temporal does not have this Schedule", gone);
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
                                        "dataset %s does not follow its source: enable this with 'forebay tracking on %s'"
                                                .formatted(dataset, dataset)));
    }

    private static ForebayException noSchedule(DatasetName name, Throwable cause) {
        return new ForebayException(
                ErrorCode.NOT_FOUND,
                "dataset %s follows its source, but its Schedule was deleted in Temporal: create it again with 'forebay tracking on %s'"
                        .formatted(name, name),
                cause);
    }
}
