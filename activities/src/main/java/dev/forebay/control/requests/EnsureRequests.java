package dev.forebay.control.requests;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.NewVersions;
import dev.forebay.control.catalogue.requests.RequestIntake;
import dev.forebay.control.catalogue.requests.RequestLog;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.ingest.VersionPointers;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.control.temporal.UpdateSender;
import dev.forebay.control.temporal.UpdateSender.Update;
import dev.forebay.control.temporal.VersionWorkflows;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.WorkflowIds;
import dev.forebay.workflows.message.CancelRequest;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.Receipt;
import dev.forebay.workflows.message.Urgency;
import io.temporal.client.WorkflowUpdateHandle;
import io.temporal.client.WorkflowUpdateTimeoutOrCancelledException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sends ensure requests to the workflows of versions. A request that is sent again with the same id
 * is the same request. Thread-safe.
 *
 * <p>The control plane stores a request, with the id of its update, before it sends it to Temporal.
 * If the run that accepted it has ended, the control plane sends the same update to the next run.
 * This is safe, because the update asks for a state.
 *
 * <p>A request that comes again after its receipt begins a new attempt, because the receipt may be
 * outdated. After a failure, the client gets that failure first. A client that only repeats its
 * request would not see it otherwise.
 */
@Singleton
public class EnsureRequests {

    /** Long enough to fetch an answer that is ready. */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(300);

    private static final Duration BEYOND_WAIT = Duration.ofSeconds(5);

    private final DatasetCatalogue datasets;
    private final RequestIntake intake;
    private final RequestLog requests;
    private final NewVersions newVersions;
    private final VersionPointers pointers;
    private final VersionReader reader;
    private final VersionWorkflows workflows;
    private final UpdateSender updates;
    private final TemporalCalls temporal;
    private final RequestJson form;
    private final WaitingJobs waiting;
    private final Duration evictionWait;

    EnsureRequests(
            DatasetCatalogue datasets,
            RequestIntake intake,
            RequestLog requests,
            NewVersions newVersions,
            VersionPointers pointers,
            VersionReader reader,
            VersionWorkflows workflows,
            UpdateSender updates,
            TemporalCalls temporal,
            RequestJson form,
            WaitingJobs waiting,
            ControlPlaneConfig config) {
        this.datasets = datasets;
        this.intake = intake;
        this.requests = requests;
        this.newVersions = newVersions;
        this.pointers = pointers;
        this.reader = reader;
        this.workflows = workflows;
        this.updates = updates;
        this.temporal = temporal;
        this.form = form;
        this.waiting = waiting;
        this.evictionWait = config.requests().evictionWait();
    }

    /**
     * Requests the version in the regions, and waits for at most {@code wait}.
     *
     * @param runId the training run that asks; null if it is unknown
     * @param create whether to create the version if it is not known
     * @throws ForebayException the workflow's refusal or failure. {@code ALREADY_EXISTS}: the id
     *     was used for another request. {@code NOT_FOUND}: the dataset is unknown or deleted, or
     *     the version is unknown and not to be created. {@code UNAVAILABLE}: the workflow may or
     *     may not have accepted the request, and the client should repeat it
     */
    public EnsureState ensure(
            DatasetVersion version,
            EnsureRequest request,
            String requestId,
            @Nullable String runId,
            boolean create,
            Duration wait) {
        RequestIntake.Taken taken =
                take(
                        new RequestLog.Entry(
                                version,
                                requestId,
                                named(request),
                                form.of(request),
                                WorkflowIds.version(version),
                                0,
                                null,
                                false,
                                false),
                        runId,
                        create);
        RequestLog.Entry entry = taken.entry();
        boolean over =
                switch (outcome(entry)) {
                    case OPEN -> false;
                    case DONE -> true;
                    case FAILED -> entry.delivered();
                };
        return answer(taken.dataset(), over ? requests.again(entry, runId) : entry, wait);
    }

    /**
     * Takes in a request. If the workflow of an unknown version has its manifest, the catalogue has
     * lost the version, and this enters it again.
     */
    private RequestIntake.Taken take(
            RequestLog.Entry request, @Nullable String runId, boolean create) {
        if (!create && newVersions.isFirst(request.version())) {
            pointers.requireNoOther(request.version());
        }
        try {
            return intake.take(request, runId, create);
        } catch (ForebayException refused) {
            if (create
                    || refused.code() != ErrorCode.NOT_FOUND
                    || reader.frozen(request.version()).isEmpty()) {
                throw refused;
            }
            return intake.take(request, runId, true);
        }
    }

    /**
     * Returns the state of a request, after at most {@code wait}.
     *
     * @throws ForebayException as {@link #ensure}; {@code NOT_FOUND} for an unknown request
     */
    public EnsureState poll(
            DatasetVersion version, String requestId, Optional<RegionName> region, Duration wait) {
        Dataset dataset = datasets.get(version.dataset());
        RequestLog.Entry entry =
                requests.find(version, requestId)
                        .filter(
                                found ->
                                        region.map(RegionName::value)
                                                .map(regions(found)::contains)
                                                .orElse(true))
                        .orElseThrow(() -> unknown(version, requestId));
        if (entry.cancelled()) {
            throw cancelled(version, requestId);
        }
        return answer(dataset, entry, wait);
    }

    /**
     * Cancels a request: clients that wait for it get CANCELLED. Bytes that no other request wants
     * are evicted when this returns, or soon after. Does nothing if the request was answered.
     *
     * @throws ForebayException {@code NOT_FOUND} for an unknown request; {@code UNAVAILABLE} if the
     *     request may or may not be cancelled, and the client should repeat the call
     */
    public void cancel(DatasetVersion version, String requestId) {
        Dataset dataset = datasets.get(version.dataset());
        RequestLog.Entry entry = entry(version, requestId);
        if (!entry.cancelled() && outcome(entry) != Outcome.OPEN) {
            return;
        }
        requests.cancel(entry);
        waiting.ended(version, requestId);
        cancelAttempt(dataset, entry);
    }

    private void cancelAttempt(Dataset dataset, RequestLog.Entry entry) {
        updates.send(
                        dataset,
                        new Update<@Nullable Void>(
                                entry.version(),
                                "cancel",
                                "cancel-" + UUID.randomUUID(),
                                Void.class,
                                new CancelRequest(entry.updateId())))
                .ifPresent(accepted -> updates.isDone(accepted, evictionWait));
    }

    private static ForebayException cancelled(DatasetVersion version, String requestId) {
        return new ForebayException(
                ErrorCode.CANCELLED,
                "request '%s' on %s was cancelled: send a new one with 'forebay ensure %s'"
                        .formatted(requestId, version, version));
    }

    private RequestLog.Entry entry(DatasetVersion version, String requestId) {
        return requests.find(version, requestId).orElseThrow(() -> unknown(version, requestId));
    }

    private static ForebayException unknown(DatasetVersion version, String requestId) {
        return new ForebayException(
                ErrorCode.NOT_FOUND,
                "no request '%s' on %s is known: 'forebay status %s' shows the version"
                        .formatted(requestId, version, version));
    }

    /** The outcome of an attempt. */
    private enum Outcome {
        OPEN,
        DONE,
        FAILED
    }

    private Outcome outcome(RequestLog.Entry entry) {
        if (entry.cancelled()) {
            return Outcome.DONE;
        }
        String runId = entry.runId();
        if (runId == null) {
            return Outcome.OPEN;
        }
        try {
            return temporal.call(() -> result(accepted(entry, runId), SHORTEST_WAIT)).isPresent()
                    ? Outcome.DONE
                    : Outcome.OPEN;
        } catch (NoSuchRunException gone) {
            return Outcome.OPEN; // the next run has to answer the same attempt
        } catch (ForebayException failed) {
            if (!TemporalCalls.isSaidByWorkflow(failed)) {
                // Begins no second attempt while the first one may be running, because a client
                // could not cancel the first one then.
                throw failed;
            }
            return Outcome.FAILED;
        }
    }

    private WorkflowUpdateHandle<Receipt> accepted(RequestLog.Entry entry, String runId) {
        return workflows.accepted(entry.workflowId(), runId, entry.updateId(), Receipt.class);
    }

    private EnsureState answer(Dataset dataset, RequestLog.Entry entry, Duration wait) {
        try {
            EnsureState answer = ask(dataset, entry, wait);
            if (answer instanceof EnsureState.Pending pending && isOfAJob(entry)) {
                waiting.waits(entry.version(), entry.id(), pending.regions());
            } else {
                waiting.ended(entry.version(), entry.id());
            }
            return answer;
        } catch (ForebayException failed) {
            if (TemporalCalls.isSaidByWorkflow(failed)) {
                requests.markDelivered(entry);
            }
            // The job keeps waiting while a store does not answer.
            if (failed.code() != ErrorCode.UNAVAILABLE) {
                waiting.ended(entry.version(), entry.id());
            }
            throw failed;
        }
    }

    private boolean isOfAJob(RequestLog.Entry entry) {
        return form.read(entry.body()).terms().urgency() == Urgency.INTERACTIVE;
    }

    private EnsureState ask(Dataset dataset, RequestLog.Entry entry, Duration wait) {
        String runId = entry.runId();
        try {
            return await(
                    entry,
                    runId == null
                            ? send(dataset, entry, this::sendOrStart)
                            : accepted(entry, runId),
                    wait);
        } catch (NoSuchRunException gone) {
            // Falls through to the next run.
        }
        try {
            return await(entry, send(dataset, entry, updates::start), wait);
        } catch (NoSuchRunException over) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the workflow of %s ended meanwhile: retry the request"
                            .formatted(entry.version()),
                    over);
        }
    }

    /**
     * Sends the update without a start first. Most workflows run, and a start needs a read of the
     * catalogue.
     */
    private WorkflowUpdateHandle<Receipt> sendOrStart(Dataset dataset, Update<Receipt> update) {
        return updates.send(dataset, update).orElseGet(() -> updates.start(dataset, update));
    }

    private WorkflowUpdateHandle<Receipt> send(
            Dataset dataset,
            RequestLog.Entry entry,
            BiFunction<Dataset, Update<Receipt>, WorkflowUpdateHandle<Receipt>> how) {
        WorkflowUpdateHandle<Receipt> accepted =
                how.apply(
                        dataset,
                        new Update<>(
                                entry.version(),
                                "ensureCached",
                                entry.updateId(),
                                Receipt.class,
                                form.read(entry.body())));
        if (requests.accepted(entry, accepted.getExecution().getRunId())) {
            // A client cancelled the request before the workflow knew it, so that call found
            // nothing to cancel there.
            cancelAttempt(dataset, entry);
            throw cancelled(entry.version(), entry.id());
        }
        return accepted;
    }

    private EnsureState await(
            RequestLog.Entry entry, WorkflowUpdateHandle<Receipt> accepted, Duration wait) {
        Duration limit = wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait;
        Optional<Receipt> receipt =
                temporal.call(limit.plus(BEYOND_WAIT), () -> result(accepted, limit));
        return receipt.<EnsureState>map(done -> new EnsureState.Done(entry.id(), done))
                .orElseGet(
                        () ->
                                new EnsureState.Pending(
                                        entry.id(),
                                        regions(entry).stream().map(RegionName::new).toList()));
    }

    private static String named(EnsureRequest request) {
        return request.each().map(one -> one.region().value()).collect(Collectors.joining(","));
    }

    private static List<String> regions(RequestLog.Entry entry) {
        return List.of(entry.region().split(","));
    }

    private static Optional<Receipt> result(
            WorkflowUpdateHandle<Receipt> accepted, Duration limit) {
        try {
            return Optional.of(accepted.getResult(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (WorkflowUpdateTimeoutOrCancelledException notYet) {
            return Optional.empty();
        }
    }
}
