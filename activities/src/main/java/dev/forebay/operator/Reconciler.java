package dev.forebay.operator;

import dev.forebay.model.ForebayException;
import dev.forebay.operator.Outcome.Problem;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Reconciles one resource. It may be killed at any point: the next reconciliation starts from the
 * state of that time.
 *
 * <p>The status records what may be held before it is requested, and until it is released, so later
 * reconciliations know everything that is held. Safe for use by many threads, but only one at a
 * time per resource.
 */
final class Reconciler {

    private static final Logger LOG = Logger.getLogger(Reconciler.class);

    private final DatasetResources resources;
    private final Steps steps;
    private final Duration releaseTimeout;
    private final Clock clock;

    /**
     * @param releaseTimeout how long to try to release what a deleted resource holds; counted from
     *     the first failure, because no operator may have run before
     */
    Reconciler(DatasetResources resources, Steps steps, Duration releaseTimeout, Clock clock) {
        this.resources = resources;
        this.steps = steps;
        this.releaseTimeout = releaseTimeout;
        this.clock = clock;
    }

    /** When to reconcile again. */
    enum Next {
        /** After a change. */
        NEVER,
        /** In time to renew the pins, because the state is as declared. */
        LATER,
        /** Soon, because work is in progress. */
        SOON,
        /** After a growing pause, because a step failed. */
        AFTER_PAUSE
    }

    /**
     * Reconciles a resource. Returns when to do so again.
     *
     * @throws KubernetesClientException if a request to the API server fails; with the status 409
     *     if another client has changed the resource meanwhile
     */
    Next look(Key key) {
        return resources.find(key).map(this::look).orElse(Next.NEVER);
    }

    private Next look(DatasetResource resource) {
        boolean guarded = DatasetResources.isGuarded(resource);
        if (DatasetResources.isDeleted(resource)) {
            return guarded ? release(resource) : Next.NEVER;
        }
        if (guarded) {
            return keep(resource);
        }
        resources.guard(resource);
        return Next.SOON;
    }

    private Next keep(DatasetResource read) {
        Declared declared = DatasetResources.declared(read);
        Observed seen;
        try {
            seen = steps.look(declared);
        } catch (ForebayException unseen) {
            write(read, declared, Report.unseen(declared, Problem.of(unseen), clock.instant()));
            return Next.AFTER_PAUSE;
        }
        Plan plan = Planner.plan(declared, seen);
        Journal journal = new Journal(read, declared, seen);
        Outcome outcome =
                Execution.of(declared, plan, step -> steps.take(declared, step), journal::write);
        DatasetStatus status = Report.of(declared, seen, outcome, clock.instant());
        write(journal.resource, declared, status);
        if (!outcome.isDone()) {
            return Next.AFTER_PAUSE;
        }
        return isUnderWay(plan, status) ? Next.SOON : Next.LATER;
    }

    private static boolean isUnderWay(Plan plan, DatasetStatus status) {
        return !plan.first().isEmpty()
                || status.regions().stream()
                        .anyMatch(
                                it ->
                                        !it.version().equals(it.warm())
                                                && !it.state().equals(Answers.Residency.BLOCKED));
    }

    private Next release(DatasetResource read) {
        Declared declared = DatasetResources.declared(read);
        Outcome outcome = letGo(declared);
        if (outcome.isDone()) {
            resources.letGo(read);
            return Next.NEVER;
        }
        Instant now = clock.instant();
        DatasetStatus status = Report.of(declared, Observed.NOTHING, outcome, now);
        if (status.isStuck(releaseTimeout, now)) {
            String why = status.conditions().getLast().message();
            LOG.warnf("Dataset %s goes with what it holds: %s", declared.dataset(), why);
            resources.tell(read, DatasetEvent.givenUp(declared.dataset(), why));
            resources.letGo(read);
            return Next.NEVER;
        }
        write(read, declared, status);
        return Next.AFTER_PAUSE;
    }

    private Outcome letGo(Declared declared) {
        try {
            return Execution.of(
                    declared,
                    Planner.plan(declared, steps.look(declared)),
                    step -> steps.take(declared, step),
                    _ -> {
                        // Nothing is requested any more.
                    });
        } catch (ForebayException unseen) {
            return new Outcome(
                    Optional.of(Problem.of(unseen)), Map.of(), declared.status().holdings());
        }
    }

    /** Writes a status and publishes the events since the reconciliation began. */
    private void write(DatasetResource there, Declared before, DatasetStatus status) {
        if (status.equals(there.getStatus())) {
            return;
        }
        DatasetResource written = resources.writeStatus(there, status);
        DatasetEvent.between(before.status(), status).forEach(it -> resources.tell(written, it));
    }

    /** Records in the status what regions may hold. */
    private final class Journal {

        private final Declared declared;
        private final Observed seen;

        /** The resource as last read or written. */
        private DatasetResource resource;

        Journal(DatasetResource resource, Declared declared, Observed seen) {
            this.resource = resource;
            this.declared = declared;
            this.seen = seen;
        }

        void write(List<Holding> holdings) {
            Outcome soFar = new Outcome(Optional.empty(), Map.of(), holdings);
            DatasetStatus status = declared.status().with(Report.regions(seen, soFar));
            resource = resources.writeStatus(resource, status);
        }
    }
}
