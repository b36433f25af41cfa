package dev.forebay.control;

import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.eviction.SweepActivitiesImpl;
import dev.forebay.control.eviction.SweepSchedules;
import dev.forebay.control.ingest.IngestActivitiesImpl;
import dev.forebay.control.ledger.BudgetActivitiesImpl;
import dev.forebay.control.ledger.LedgerWriter;
import dev.forebay.control.planning.SiblingActivitiesImpl;
import dev.forebay.control.planning.SpaceActivitiesImpl;
import dev.forebay.control.requests.RequestCleanup;
import dev.forebay.control.temporal.SearchAttributeRegistration;
import dev.forebay.control.temporal.StartupTasks;
import dev.forebay.control.tracking.DatasetTracking;
import dev.forebay.control.tracking.TrackingActivitiesImpl;
import dev.forebay.service.temporal.TemporalWorkers;
import dev.forebay.service.temporal.TemporalWorkers.Work;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.version.WorkflowImplementations;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Starts and stops the Temporal side of the control plane: its workflows, activities and Schedules.
 */
@Singleton
public class TemporalRuntime {

    private static final int CONCURRENT_ACTIVITIES = 64;
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final TemporalWorkers workers;
    private final SearchAttributeRegistration attributes;
    private final SweepSchedules schedules;
    private final DatasetTracking tracking;
    private final RequestCleanup requestCleanup;
    private final CatalogueActivitiesImpl catalogue;
    private final IngestActivitiesImpl ingest;
    private final SweepActivitiesImpl sweep;
    private final BudgetActivitiesImpl budget;
    private final SiblingActivitiesImpl siblings;
    private final LedgerWriter ledgerWriter;
    private final TrackingActivitiesImpl checks;
    private final int listingsAtOnce;
    private final int checksAtOnce;
    private final SpaceActivitiesImpl space;
    private final StartupTasks startupTasks = new StartupTasks(PAUSE);

    TemporalRuntime(
            TemporalWorkers workers,
            SearchAttributeRegistration attributes,
            SweepSchedules schedules,
            DatasetTracking tracking,
            RequestCleanup requestCleanup,
            CatalogueActivitiesImpl catalogue,
            IngestActivitiesImpl ingest,
            SweepActivitiesImpl sweep,
            BudgetActivitiesImpl budget,
            SiblingActivitiesImpl siblings,
            LedgerWriter ledgerWriter,
            TrackingActivitiesImpl checks,
            SpaceActivitiesImpl space,
            ControlPlaneConfig config) {
        this.workers = workers;
        this.attributes = attributes;
        this.schedules = schedules;
        this.tracking = tracking;
        this.requestCleanup = requestCleanup;
        this.catalogue = catalogue;
        this.ingest = ingest;
        this.sweep = sweep;
        this.budget = budget;
        this.siblings = siblings;
        this.ledgerWriter = ledgerWriter;
        this.checks = checks;
        this.listingsAtOnce = config.ingest().concurrency();
        // Leaves the other listing slots to versions that a client waits for.
        this.checksAtOnce = Math.max(1, listingsAtOnce / 2);
        this.space = space;
    }

    /**
     * Waits for Temporal, prepares its namespace, and starts the workers. Checks Schedules that may
     * be many in the background.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if Temporal does not answer
     */
    public void start() {
        workers.await();
        attributes.ensureRegistered();
        schedules.ensureScheduled();
        workers.start(
                new Work(
                        TaskQueues.LIFECYCLE,
                        CONCURRENT_ACTIVITIES,
                        worker -> {
                            worker.registerWorkflowImplementationTypes(
                                    WorkflowImplementations.all());
                            worker.registerActivitiesImplementations(
                                    catalogue, sweep, budget, siblings, checks, space);
                        }),
                new Work(
                        TaskQueues.INGEST,
                        listingsAtOnce,
                        worker -> worker.registerActivitiesImplementations(ingest)),
                new Work(
                        TaskQueues.TRACKING,
                        checksAtOnce,
                        worker -> worker.registerActivitiesImplementations(checks)));
        startupTasks.add("deletion of the schedules of removed regions", schedules::deleteOthers);
        tracking.ensureScheduled(startupTasks);
        requestCleanup.start();
        ledgerWriter.start();
    }

    /** Stops, and waits for running activities within the configured time. */
    public void stop() {
        ledgerWriter.stop();
        requestCleanup.stop();
        startupTasks.stop();
        workers.stop();
    }
}
