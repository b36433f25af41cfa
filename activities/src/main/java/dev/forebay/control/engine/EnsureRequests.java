package dev.forebay.control.engine;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.RequestIntake;
import dev.forebay.control.catalogue.RequestLog;
import dev.forebay.control.engine.TemporalCalls.NoSuchRunException;
import dev.forebay.control.engine.UpdateSender.Update;
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
 * The requests to have a version in a region, each under an id that makes it the same however often
 * it is sent. Safe for use by many threads.
 *
 * <p>A request is written down before it goes to Temporal, with the id of the update. When the run
 * of the workflow that accepted it is gone, the same update is sent to the next one: what it asks
 * for is a state, so nothing is done twice. For the same reason a request that comes again after it
 * was answered is asked anew: the old answer may not be true any more. But a failure is told
 * before: who only ever sends the request again would not hear of it.
 */
@Singleton
public class EnsureRequests {

    /** Long enough for an answer that is there already. */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(300);

    private static final Duration BEYOND_WAIT = Duration.ofSeconds(5);

    private final DatasetCatalogue datasets;
    private final RequestIntake intake;
    private final RequestLog requests;
    private final VersionReader reader;
    private final VersionWorkflows workflows;
    private final UpdateSender updates;
    private final TemporalCalls temporal;
    private final StoredForm form;
    private final WaitingJobs waiting;
    private final Duration evictionWait;

    EnsureRequests(
            DatasetCatalogue datasets,
            RequestIntake intake,
            RequestLog requests,
            VersionReader reader,
            VersionWorkflows workflows,
            UpdateSender updates,
            TemporalCalls temporal,
            StoredForm form,
            WaitingJobs waiting,
            ControlPlaneConfig config) {
        this.datasets = datasets;
        this.intake = intake;
        this.requests = requests;
        this.reader = reader;
        this.workflows = workflows;
        this.updates = updates;
        this.temporal = temporal;
        this.form = form;
        this.waiting = waiting;
        this.evictionWait = config.requests().evictionWait();
    }

    /**
     * Has the version brought into the regions and waits for at most {@code wait}.
     *
     * @param runId the training run that asks, if it says
     * @param create whether the version is to be created if it is not known
     * @throws ForebayException what the workflow refuses or failed with; {@code ALREADY_EXISTS} if
     *     the id was used for another request; {@code NOT_FOUND} for an unknown dataset or one that
     *     was deleted, or a version that is not known and is not to be created; {@code UNAVAILABLE}
     *     if it may or may not have been accepted and should be sent again
     */
    public Ensured ensure(
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
                    case FAILED -> entry.told();
                };
        return answer(taken.dataset(), over ? requests.again(entry, runId) : entry, wait);
    }

    /**
     * A version whose workflow has its manifest was created once, and only the catalogue has lost
     * it.
     */
    private RequestIntake.Taken take(
            RequestLog.Entry request, @Nullable String runId, boolean create) {
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
     * Asks after a request and waits for at most {@code wait}.
     *
     * @throws ForebayException as {@link #ensure}; {@code NOT_FOUND} for an unknown request
     */
    public Ensured poll(
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
            throw takenBack(version, requestId);
        }
        return answer(dataset, entry, wait);
    }

    /**
     * Takes a request back: who waits for it is answered with CANCELLED, and what nobody else wants
     * of it is gone when this returns, or goes on going. Does nothing to one that was answered.
     *
     * @throws ForebayException {@code NOT_FOUND} for an unknown request; {@code UNAVAILABLE} if it
     *     may or may not be taken back, and should be again
     */
    public void cancel(DatasetVersion version, String requestId) {
        Dataset dataset = datasets.get(version.dataset());
        RequestLog.Entry entry = entry(version, requestId);
        if (!entry.cancelled() && outcome(entry) != Outcome.OPEN) {
            return;
        }
        requests.cancel(entry);
        waiting.ended(version, requestId);
        takeBack(dataset, entry);
    }

    private void takeBack(Dataset dataset, RequestLog.Entry entry) {
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

    private static ForebayException takenBack(DatasetVersion version, String requestId) {
        return new ForebayException(
                ErrorCode.CANCELLED,
                "request '%s' on %s was taken back: 'forebay ensure %s' asks for it again"
                        .formatted(requestId, version, version));
    }

    private RequestLog.Entry entry(DatasetVersion version, String requestId) {
        return requests.find(version, requestId).orElseThrow(() -> unknown(version, requestId));
    }

    private static ForebayException unknown(DatasetVersion version, String requestId) {
        return new ForebayException(
                ErrorCode.NOT_FOUND,
                "no request '%s' on %s is remembered: 'forebay status %s' shows what there is"
                        .formatted(requestId, version, version));
    }

    /** What became of an attempt. */
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
            return Outcome.OPEN; // the next run is to answer the same attempt
        } catch (ForebayException failed) {
            if (!TemporalCalls.isSaidByWorkflow(failed)) {
                // A second attempt beside one that goes on could not be taken back.
                throw failed;
            }
            return Outcome.FAILED;
        }
    }

    private WorkflowUpdateHandle<Receipt> accepted(RequestLog.Entry entry, String runId) {
        return workflows.accepted(entry.workflowId(), runId, entry.updateId(), Receipt.class);
    }

    private Ensured answer(Dataset dataset, RequestLog.Entry entry, Duration wait) {
        try {
            Ensured answer = ask(dataset, entry, wait);
            if (answer instanceof Ensured.Pending pending && isOfAJob(entry)) {
                waiting.waits(entry.version(), entry.id(), pending.regions());
            } else {
                waiting.ended(entry.version(), entry.id());
            }
            return answer;
        } catch (ForebayException failed) {
            if (TemporalCalls.isSaidByWorkflow(failed)) {
                requests.told(entry);
            }
            // Of what does not answer just now a job waits on.
            if (failed.code() != ErrorCode.UNAVAILABLE) {
                waiting.ended(entry.version(), entry.id());
            }
            throw failed;
        }
    }

    private boolean isOfAJob(RequestLog.Entry entry) {
        return form.read(entry.body()).terms().urgency() == Urgency.INTERACTIVE;
    }

    private Ensured ask(Dataset dataset, RequestLog.Entry entry, Duration wait) {
        String runId = entry.runId();
        try {
            return await(
                    entry,
                    runId == null
                            ? send(dataset, entry, this::sendOrStart)
                            : accepted(entry, runId),
                    wait);
        } catch (NoSuchRunException gone) {
            // Falls through to the run that follows it.
        }
        try {
            return await(entry, send(dataset, entry, updates::start), wait);
        } catch (NoSuchRunException over) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the workflow of %s ended meanwhile; the request may be sent again"
                            .formatted(entry.version()),
                    over);
        }
    }

    /**
     * Most workflows are there: to know what a new one begins with costs a look into the catalogue.
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
            // Before the workflow knew of it: whoever did so had nothing to take back there.
            takeBack(dataset, entry);
            throw takenBack(entry.version(), entry.id());
        }
        return accepted;
    }

    private Ensured await(
            RequestLog.Entry entry, WorkflowUpdateHandle<Receipt> accepted, Duration wait) {
        Duration limit = wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait;
        Optional<Receipt> receipt =
                temporal.call(limit.plus(BEYOND_WAIT), () -> result(accepted, limit));
        return receipt.<Ensured>map(done -> new Ensured.Done(entry.id(), done))
                .orElseGet(
                        () ->
                                new Ensured.Pending(
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
