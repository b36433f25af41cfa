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
 * Looks at one resource, and does what is to be done for it. May be killed anywhere: the next look
 * begins with what there is then.
 *
 * <p>What may be held is on record in the status before it is asked for, and struck off after it
 * was let go, so nothing is held that a later look does not know of. Safe for use by many threads,
 * of which one at a time looks at a resource.
 */
final class Reconciler {

    private static final Logger LOG = Logger.getLogger(Reconciler.class);

    private final DatasetResources resources;
    private final Steps steps;
    private final Duration releaseTimeout;
    private final Clock clock;

    /**
     * @param releaseTimeout how long it is tried to let go of what a deleted resource holds;
     *     counted from when this first failed, as nobody may have been there to try before, whoever
     *     looked then
     */
    Reconciler(DatasetResources resources, Steps steps, Duration releaseTimeout, Clock clock) {
        this.resources = resources;
        this.steps = steps;
        this.releaseTimeout = releaseTimeout;
        this.clock = clock;
    }

    /** When to look again. */
    enum Next {
        /** When something has changed. */
        NEVER,
        /** It is as declared: when pins want to be renewed. */
        LATER,
        /** Something is under way. */
        SOON,
        /** Something failed: after a pause that grows. */
        AFTER_PAUSE
    }

    /**
     * Looks at a resource, and returns when to look again.
     *
     * @throws KubernetesClientException if the API server does not do what is asked of it; its
     *     status is 409 if somebody else has changed the resource meanwhile
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
            resources.tell(read, Happening.givenUp(declared.dataset(), why));
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
                        // Nothing is asked for any more.
                    });
        } catch (ForebayException unseen) {
            return new Outcome(
                    Optional.of(Problem.of(unseen)), Map.of(), declared.status().holdings());
        }
    }

    /** Writes a status over what is there, and tells what is new since the look began. */
    private void write(DatasetResource there, Declared before, DatasetStatus status) {
        if (status.equals(there.getStatus())) {
            return;
        }
        DatasetResource written = resources.writeStatus(there, status);
        Happening.between(before.status(), status).forEach(it -> resources.tell(written, it));
    }

    /** What may be held, in the status. */
    private final class Journal {

        private final Declared declared;
        private final Observed seen;

        /** As it was read or, after that, written. */
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
