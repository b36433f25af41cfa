package dev.forebay.operator;

import dev.forebay.model.ForebayException;
import dev.forebay.operator.PlanOutcome.Problem;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Reconciles one resource. It may be killed at any point: the next reconciliation starts from the
 * state of that time.
 *
 * <p>The status records what may be held before it is requested, and until it is released, so later
 * reconciliations know everything that is held. The SDK adds the finalizer before the first
 * reconciliation, removes it after the clean-up, and retries after a growing pause when one of them
 * throws. Safe for use by many threads, but only one at a time per resource.
 */
final class DatasetReconciler implements Reconciler<DatasetResource>, Cleaner<DatasetResource> {

    /** Counts reconciliations of resources. */
    private static final String RECONCILIATIONS =
            "forebay.control.dataset.resource.reconciliations";

    private static final Logger LOG = Logger.getLogger(DatasetReconciler.class);

    private final DatasetClient resources;
    private final PlanSteps steps;
    private final Duration releaseTimeout;
    private final Duration progressInterval;
    private final Clock clock;
    private final MeterRegistry registry;

    /**
     * @param releaseTimeout how long to try to release what a deleted resource holds; counted from
     *     the first failure, because no operator may have run before
     * @param progressInterval when to reconcile again while work is in progress
     */
    DatasetReconciler(
            DatasetClient resources,
            PlanSteps steps,
            Duration releaseTimeout,
            Duration progressInterval,
            Clock clock,
            MeterRegistry registry) {
        this.resources = resources;
        this.steps = steps;
        this.releaseTimeout = releaseTimeout;
        this.progressInterval = progressInterval;
        this.clock = clock;
        this.registry = registry;
    }

    /** The status describes the failure of a step. The SDK retries. */
    private static final class UnfinishedException extends RuntimeException {

        UnfinishedException() {
            super("a step failed", null, false, false);
        }
    }

    @Override
    public UpdateControl<DatasetResource> reconcile(
            DatasetResource cached, Context<DatasetResource> context) {
        return counted(
                cached,
                () ->
                        resources
                                .find(cached)
                                .filter(it -> !it.isMarkedForDeletion())
                                .filter(it -> it.hasFinalizer(DatasetClient.FINALIZER))
                                .map(this::keep)
                                // The change that the cache does not have yet comes as an event.
                                .orElseGet(UpdateControl::noUpdate));
    }

    @Override
    public DeleteControl cleanup(DatasetResource cached, Context<DatasetResource> context) {
        return counted(
                cached,
                () ->
                        resources
                                .find(cached)
                                .filter(DatasetResource::isMarkedForDeletion)
                                .map(this::release)
                                .orElseGet(DeleteControl::noFinalizerRemoval));
    }

    /** Counts a reconciliation, and reports in the log what the status cannot. */
    private <T> T counted(DatasetResource cached, Supplier<T> reconciliation) {
        String outcome = "failed";
        try {
            T next = reconciliation.get();
            outcome = "done";
            return next;
        } catch (UnfinishedException e) {
            throw e;
        } catch (KubernetesClientException e) {
            // Conflicts are expected, and interruptions at the end of a term.
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT
                    && !Thread.currentThread().isInterrupted()) {
                LOG.warnf("Cannot reconcile Dataset %s: %s", name(cached), e.getMessage());
            }
            throw e;
        } catch (RuntimeException | Error e) {
            LOG.errorf(e, "Cannot reconcile Dataset %s", name(cached));
            // The SDK would never reconcile a resource again after an Error.
            throw new UnfinishedException();
        } finally {
            registry.counter(RECONCILIATIONS, "outcome", outcome).increment();
        }
    }

    private static String name(DatasetResource resource) {
        return DatasetClient.declared(resource).dataset();
    }

    private UpdateControl<DatasetResource> keep(DatasetResource read) {
        DeclaredDataset declared = DatasetClient.declared(read);
        ObservedDataset seen;
        try {
            seen = steps.observe(declared);
        } catch (ForebayException unseen) {
            write(
                    read,
                    declared,
                    StatusReport.unseen(declared, Problem.of(unseen), clock.instant()));
            throw new UnfinishedException();
        }
        DatasetPlan plan = DatasetPlanner.plan(declared, seen);
        Journal journal = new Journal(read, declared, seen);
        PlanOutcome outcome =
                PlanExecution.of(
                        declared, plan, step -> steps.take(declared, step), journal::write);
        DatasetStatus status = StatusReport.of(declared, seen, outcome, clock.instant());
        write(journal.resource, declared, status);
        if (!outcome.isDone()) {
            throw new UnfinishedException();
        }
        UpdateControl<DatasetResource> done = UpdateControl.noUpdate();
        return isUnderWay(plan, status) ? done.rescheduleAfter(progressInterval) : done;
    }

    private static boolean isUnderWay(DatasetPlan plan, DatasetStatus status) {
        return !plan.first().isEmpty()
                || status.regions().stream()
                        .anyMatch(
                                it ->
                                        !it.version().equals(it.warm())
                                                && !it.state()
                                                        .equals(DatasetAnswers.Residency.BLOCKED));
    }

    private DeleteControl release(DatasetResource read) {
        DeclaredDataset declared = DatasetClient.declared(read);
        PlanOutcome outcome = letGo(declared);
        if (outcome.isDone()) {
            return DeleteControl.defaultDelete();
        }
        Instant now = clock.instant();
        DatasetStatus status = StatusReport.of(declared, ObservedDataset.NOTHING, outcome, now);
        if (status.isStuck(releaseTimeout, now)) {
            String why = status.conditions().getLast().message();
            LOG.warnf(
                    "Dataset %s is removed before everything was released: %s",
                    declared.dataset(), why);
            resources.tell(read, DatasetEvent.givenUp(declared.dataset(), why));
            return DeleteControl.defaultDelete();
        }
        write(read, declared, status);
        throw new UnfinishedException();
    }

    private PlanOutcome letGo(DeclaredDataset declared) {
        try {
            return PlanExecution.of(
                    declared,
                    DatasetPlanner.plan(declared, steps.observe(declared)),
                    step -> steps.take(declared, step),
                    _ -> {
                        // Nothing is requested any more.
                    });
        } catch (ForebayException unseen) {
            return new PlanOutcome(
                    Optional.of(Problem.of(unseen)), Map.of(), declared.status().holdings());
        }
    }

    /** Writes a status and publishes the events since the reconciliation began. */
    private void write(DatasetResource there, DeclaredDataset before, DatasetStatus status) {
        if (status.equals(there.getStatus())) {
            return;
        }
        DatasetResource written = resources.writeStatus(there, status);
        DatasetEvent.between(before.status(), status).forEach(it -> resources.tell(written, it));
    }

    /** Records in the status what regions may hold. */
    private final class Journal {

        private final DeclaredDataset declared;
        private final ObservedDataset seen;

        /** The resource as last read or written. */
        private DatasetResource resource;

        Journal(DatasetResource resource, DeclaredDataset declared, ObservedDataset seen) {
            this.resource = resource;
            this.declared = declared;
            this.seen = seen;
        }

        void write(List<RegionHolding> holdings) {
            PlanOutcome soFar = new PlanOutcome(Optional.empty(), Map.of(), holdings);
            DatasetStatus status = declared.status().with(StatusReport.regions(seen, soFar));
            resource = resources.writeStatus(resource, status);
        }
    }
}
