package dev.forebay.workflows.fill;

import dev.forebay.model.Backoff;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.Sibling;
import dev.forebay.workflows.DatasetVersionWorkflow;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.PrewarmWorkflow;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.activity.RegionActivities.Coverage;
import dev.forebay.workflows.activity.RegionActivities.WarmResult;
import dev.forebay.workflows.input.PrewarmInput;
import dev.forebay.workflows.input.PrewarmInput.Cursor;
import dev.forebay.workflows.message.FillProgress;
import dev.forebay.workflows.message.FillResult;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.support.ActivityStubs;
import io.temporal.failure.ActivityFailure;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.TemporalFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.CancellationScope;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Mounts the version, fills it batch by batch, and confirms its coverage. If chunks are missing
 * then, because a worker joined or left, it fills again from the first missing chunk. If the region
 * has lost the mount, it mounts the version again.
 */
public class PrewarmWorkflowImpl implements PrewarmWorkflow {

    private static final int MOST_ROUNDS = 10;
    private static final Backoff BACKOFF =
            new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(10));

    /** The coverage of a version whose mount the region has lost. */
    private static final Coverage NOTHING = new Coverage(0, 0, 0, 0);

    private boolean hurried;
    private @Nullable CancellationScope speculative;
    private Promise<Void> lastReport = Workflow.newPromise((Void) null);

    @Override
    public FillResult run(PrewarmInput input) {
        Cursor cursor = Optional.ofNullable(input.carried()).orElseGet(() -> begin(input));
        while (true) {
            try {
                cursor = warm(input, cursor);
                Coverage coverage = confirm(input);
                if (coverage.complete()) {
                    long bytesFromLake = bytesFromLake(cursor, coverage);
                    Workflow.setCurrentDetails(
                            FillDetails.confirmed(input.manifest(), bytesFromLake));
                    lastReport.get();
                    return new FillResult(
                            coverage.bytesVerified(), bytesFromLake, coverage.bytesFromSiblings());
                }
                cursor = nextRound(input, cursor, coverage);
            } catch (ActivityFailure failure) {
                requireMountLost(failure);
                cursor = nextRound(input, cursor, NOTHING);
                enter(input);
            }
        }
    }

    @Override
    public void hurry() {
        hurried = true;
        if (speculative != null) {
            speculative.cancel("a client waits");
        }
    }

    private Urgency urgency(PrewarmInput input) {
        return hurried ? Urgency.INTERACTIVE : input.urgency();
    }

    /** Well below Temporal's limit of 51,200 events and quick to replay. Tests choose less. */
    protected int longestHistory() {
        return 4_000;
    }

    /** Mounts the version and returns its path. */
    private String enter(PrewarmInput input) {
        return atUrgency(input, urgency -> enter(input, urgency));
    }

    private Cursor begin(PrewarmInput input) {
        Cursor cursor = new Cursor(enter(input), 0, 0, 0, input.bytesFromLake(), 0, 0);
        report(input, cursor);
        return cursor;
    }

    /**
     * Waits for a budget before taking space: the wait may last weeks, and others can use the space
     * meanwhile.
     */
    private String enter(PrewarmInput input, Urgency urgency) {
        if (urgency == Urgency.SPECULATIVE) {
            requireBudget(input);
        }
        // Chosen before the mount, so that a worker that knows the mount also knows its sources.
        Promise<Void> sources = Async.procedure(() -> chooseSources(input));
        return new AdmissionWait(input, urgency, sources).await();
    }

    private static void requireBudget(PrewarmInput input) {
        ActivityStubs.budget(input.version()).requireBudget(input.version().dataset().namespace());
    }

    private void chooseSources(PrewarmInput input) {
        List<Sibling> siblings = siblings(input);
        ActivityStubs.fillFrom(input.version(), input.region(), urgency(input), siblings.size())
                .fillFrom(input.version(), siblings);
    }

    /** Returns the sibling regions to ask before the lake. Empty if they cannot be found out. */
    private List<Sibling> siblings(PrewarmInput input) {
        try {
            return ActivityStubs.siblings(input.version(), input.region(), urgency(input))
                    .siblings(input.version(), input.region(), input.manifest());
        } catch (ActivityFailure failure) {
            if (Failures.isCancellation(failure)) {
                throw failure;
            }
            Workflow.getLogger(PrewarmWorkflowImpl.class)
                    .warn(
                            "Cannot choose sibling regions for {}; all of it is filled from the "
                                    + "lake: {}",
                            input.version(),
                            failure.getMessage());
            return List.of();
        }
    }

    /** Fills the rest of a round. */
    private Cursor warm(PrewarmInput input, Cursor from) {
        Cursor cursor = from;
        while (cursor.next() < input.manifest().chunks()) {
            if (isHistoryLong()) {
                lastReport.get();
                Workflow.continueAsNew(
                        new PrewarmInput(
                                input.version(),
                                input.manifest(),
                                input.region(),
                                input.bytesFromLake(),
                                cursor,
                                urgency(input)));
            }
            cursor = reported(input, warmBatch(input, cursor));
        }
        return cursor;
    }

    private Cursor warmBatch(PrewarmInput input, Cursor cursor) {
        ManifestRef manifest = input.manifest();
        long to = Math.min(cursor.next() + BatchSizes.size(manifest.chunks()), manifest.chunks());
        WarmResult warmed =
                atUrgency(input, urgency -> warmWithinBudget(input, cursor.next(), to, urgency));
        // A later round passes chunks that are present already, so only the confirmation knows the
        // sum.
        boolean isFirst = cursor.round() == 0;
        long verified = isFirst ? warmed.bytesVerified() : 0;
        long objects = isFirst ? warmed.objects() : 0;
        return new Cursor(
                cursor.path(),
                cursor.round(),
                to,
                cursor.bytesVerified() + verified,
                cursor.bytesFromLake() + warmed.bytesFromLake(),
                cursor.reported(),
                cursor.objects() + objects);
    }

    /**
     * Runs a step. If a client begins to wait during a speculative step, the step is cancelled and
     * runs again with the higher priority.
     */
    private <T> T atUrgency(PrewarmInput input, Function<Urgency, T> step) {
        if (urgency(input) == Urgency.INTERACTIVE) {
            return step.apply(Urgency.INTERACTIVE);
        }
        Result<T> result = new Result<>();
        CancellationScope scope =
                Workflow.newCancellationScope(() -> result.value = step.apply(Urgency.SPECULATIVE));
        speculative = scope;
        try {
            scope.run();
        } catch (TemporalFailure failure) {
            if (!hurried || !Failures.isCancellation(failure)) {
                throw failure;
            }
        } finally {
            speculative = null;
        }
        T done = result.value;
        return done == null ? step.apply(Urgency.INTERACTIVE) : done;
    }

    /** Waits, if the fill is speculative, until its namespace may spend more. */
    private static WarmResult warmWithinBudget(
            PrewarmInput input, long from, long to, Urgency urgency) {
        if (urgency == Urgency.SPECULATIVE) {
            requireBudget(input);
        }
        return warm(input, from, to, urgency);
    }

    private static WarmResult warm(PrewarmInput input, long from, long to, Urgency urgency) {
        String summary =
                String.format(
                        Locale.ROOT,
                        "warm chunks %,d to %,d of %,d",
                        from,
                        to,
                        input.manifest().chunks());
        return ActivityStubs.warm(input.version(), input.region(), urgency, summary)
                .warm(input.version(), input.manifest(), from, to);
    }

    /** Carries the result of a step out of its cancellation scope. */
    private static final class Result<T> {
        private @Nullable T value;
    }

    private Coverage confirm(PrewarmInput input) {
        return ActivityStubs.confirm(input.version(), input.region(), urgency(input))
                .confirm(input.version(), input.manifest());
    }

    /**
     * Rethrows the failure unless it means that the mount is missing, as after the region's etcd
     * was restored from a backup.
     */
    private static void requireMountLost(ActivityFailure failure) {
        if (Failures.problem(failure).code() != ErrorCode.NOT_FOUND) {
            throw failure;
        }
    }

    /**
     * The workers' count is exact. The batches' sum is too low if an agent died. It is higher only
     * if a worker has left for good and taken its count with it.
     */
    private static long bytesFromLake(Cursor cursor, Coverage coverage) {
        return Math.max(cursor.bytesFromLake(), coverage.bytesFromLake());
    }

    private Cursor nextRound(PrewarmInput input, Cursor cursor, Coverage coverage) {
        int round = cursor.round() + 1;
        if (round >= MOST_ROUNDS) {
            throw Failures.refusal(
                    ErrorCode.UNAVAILABLE,
                    ("%s lacks chunks of %s, the first is %d, after %d rounds: check its "
                                    + "workers, which restart too often, or drop chunks because they "
                                    + "lack space")
                            .formatted(
                                    input.region(),
                                    input.version(),
                                    coverage.firstMissing(),
                                    MOST_ROUNDS));
        }
        Workflow.sleep(BACKOFF.after(round));
        Cursor next =
                new Cursor(
                        cursor.path(),
                        round,
                        coverage.firstMissing(),
                        coverage.bytesVerified(),
                        cursor.bytesFromLake(),
                        cursor.reported(),
                        cursor.objects());
        report(input, next);
        return next;
    }

    private Cursor reported(PrewarmInput input, Cursor cursor) {
        int step = BatchSizes.step(cursor.next(), input.manifest().chunks());
        if (cursor.round() > 0 || step <= cursor.reported()) {
            return cursor;
        }
        report(input, cursor);
        return new Cursor(
                cursor.path(),
                cursor.round(),
                cursor.next(),
                cursor.bytesVerified(),
                cursor.bytesFromLake(),
                step,
                cursor.objects());
    }

    private void report(PrewarmInput input, Cursor cursor) {
        Workflow.setCurrentDetails(FillDetails.filling(input.manifest(), cursor));
        Promise<Void> before = lastReport;
        lastReport =
                Async.procedure(
                        () -> {
                            before.get();
                            tell(input, cursor);
                        });
    }

    private static void tell(PrewarmInput input, Cursor cursor) {
        DatasetVersion version = input.version();
        boolean isFirst = cursor.round() == 0;
        try {
            Workflow.newExternalWorkflowStub(
                            DatasetVersionWorkflow.class, WorkflowIds.version(version))
                    .progress(
                            new FillProgress(
                                    input.region(),
                                    cursor.path(),
                                    cursor.bytesVerified(),
                                    cursor.bytesFromLake(),
                                    cursor.objects(),
                                    isFirst ? cursor.bytesVerified() : 0,
                                    isFirst ? cursor.objects() : 0));
        } catch (ApplicationFailure gone) {
            // No parent receives the report. Its end cancels this workflow.
            Workflow.getLogger(PrewarmWorkflowImpl.class)
                    .warn("Cannot report progress to {}, which has ended", version);
        }
    }

    private boolean isHistoryLong() {
        return Workflow.getInfo().isContinueAsNewSuggested()
                || Workflow.getInfo().getHistoryLength() > longestHistory();
    }
}
