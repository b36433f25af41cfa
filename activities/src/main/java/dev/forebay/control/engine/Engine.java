package dev.forebay.control.engine;

import dev.forebay.control.ledger.Bookkeeper;
import dev.forebay.service.temporal.TemporalWorkers;
import dev.forebay.service.temporal.TemporalWorkers.Work;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowImplementations;
import jakarta.inject.Singleton;

/** The control plane's part of Temporal: its workflows, activities, Schedules. */
@Singleton
public class Engine {

    private static final int CONCURRENT_ACTIVITIES = 64;

    private final TemporalWorkers workers;
    private final SearchAttributeRegistration attributes;
    private final SweepSchedules schedules;
    private final RequestJanitor janitor;
    private final CatalogueActivitiesImpl catalogue;
    private final IngestActivitiesImpl ingest;
    private final SweepActivitiesImpl sweep;
    private final BudgetActivitiesImpl budget;
    private final SiblingActivitiesImpl siblings;
    private final Bookkeeper bookkeeper;

    Engine(
            TemporalWorkers workers,
            SearchAttributeRegistration attributes,
            SweepSchedules schedules,
            RequestJanitor janitor,
            CatalogueActivitiesImpl catalogue,
            IngestActivitiesImpl ingest,
            SweepActivitiesImpl sweep,
            BudgetActivitiesImpl budget,
            SiblingActivitiesImpl siblings,
            Bookkeeper bookkeeper) {
        this.workers = workers;
        this.attributes = attributes;
        this.schedules = schedules;
        this.janitor = janitor;
        this.catalogue = catalogue;
        this.ingest = ingest;
        this.sweep = sweep;
        this.budget = budget;
        this.siblings = siblings;
        this.bookkeeper = bookkeeper;
    }

    /**
     * Waits for Temporal, prepares its namespace and begins to work.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if Temporal does not come
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
                                    catalogue, ingest, sweep, budget, siblings);
                        }));
        janitor.start();
        bookkeeper.start();
    }

    /** Finishes what is running, within the configured time. */
    public void stop() {
        bookkeeper.stop();
        janitor.stop();
        workers.stop();
    }
}
