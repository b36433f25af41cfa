package dev.forebay.agent.gate;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.PinOwner;
import dev.forebay.agent.jobs.ReservedWorkload;
import dev.forebay.agent.jobs.Workloads;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Answers Kueue's AdmissionCheck: a Workload may run when the versions of its pods are in the
 * region.
 *
 * <p>Each round compares all waiting Workloads, as in {@link Gate}. The request is the same that
 * the pods will send at the gate for the same holder. Both share one pin, and the gate then opens
 * at once. Several agents may do this at the same time. {@link #check} is for one thread.
 */
public final class WarmCheck {

    private static final Logger LOG = Logger.getLogger(WarmCheck.class);

    /** Kueue allows a Workload this many pod sets. */
    private static final int MOST_REQUESTS_AT_ONCE = 8;

    private final Workloads workloads;
    private final VersionRequester requester;
    private final RegionName region;
    private final PollScheduler<
                    WorkloadRequest, ReservedWorkload, Map<PodVersionRequest, RequestAnswer>>
            scheduler;

    /** By the uid of a Workload, whose owners never change. */
    private final Map<String, PinOwner> holders = new HashMap<>();

    /**
     * Workloads that this agent has rejected and that are still in {@code scheduler}. No pods need
     * their requests.
     */
    private final Set<WorkloadRequest> rejected = ConcurrentHashMap.newKeySet();

    private final Question question = new Question();

    private volatile int waiting;

    WarmCheck(
            Workloads workloads,
            VersionRequester requester,
            RegionName region,
            PollScheduler<WorkloadRequest, ReservedWorkload, Map<PodVersionRequest, RequestAnswer>>
                    scheduler) {
        this.workloads = workloads;
        this.requester = requester;
        this.region = region;
        this.scheduler = scheduler;
    }

    /** Returns how many Workloads waited in the last round. */
    public int waiting() {
        return waiting;
    }

    /**
     * Runs one round: checks all Workloads with quota and sends the requests that are due. It
     * cancels the requests of Workloads that are gone or have lost their quota.
     *
     * @throws ForebayException {@code UNAVAILABLE} if Kueue could not be informed that the check is
     *     active
     */
    public void check() {
        Map<WorkloadRequest, ReservedWorkload> pending = new LinkedHashMap<>();
        Set<String> decided = new HashSet<>();
        List<ReservedWorkload> reserved = workloads.reserved();
        for (ReservedWorkload workload : reserved) {
            if (workload.isPending()) {
                workloadRequest(workload).ifPresent(it -> pending.put(it, workload));
            } else {
                decided.add(workload.uid());
            }
        }
        holders.keySet()
                .retainAll(
                        reserved.stream().map(ReservedWorkload::uid).collect(Collectors.toSet()));
        waiting = pending.size();
        scheduler.round(
                pending,
                question,
                (workloadRequest, _) -> {
                    // Otherwise pods may already use the same request, whichever agent decided.
                    if (rejected.remove(workloadRequest)
                            || !decided.contains(workloadRequest.workload())) {
                        gangs(workloadRequest).forEach(requester::cancel);
                    }
                });
        workloads.activate();
    }

    private Optional<WorkloadRequest> workloadRequest(ReservedWorkload workload) {
        try {
            Optional<Map<String, PodVersionRequest>> versionRequests = versionRequests(workload);
            if (versionRequests.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(
                    new WorkloadRequest(
                            workload.uid(),
                            workload.reservedAt(),
                            holders.computeIfAbsent(
                                    workload.uid(), _ -> workloads.holder(workload)),
                            versionRequests.get()));
        } catch (ForebayException notNow) {
            warn(workload, notNow);
            return Optional.empty();
        }
    }

    /**
     * Returns the versions that a Workload has to wait for, by pod set. If there are none, answers
     * the check at once.
     */
    private Optional<Map<String, PodVersionRequest>> versionRequests(ReservedWorkload workload) {
        Map<String, PodVersionRequest> versionRequests = new TreeMap<>();
        try {
            workload.podSets()
                    .forEach(
                            (set, annotations) ->
                                    PodVersionRequest.of(annotations)
                                            .ifPresent(
                                                    versionRequest ->
                                                            versionRequests.put(
                                                                    set, versionRequest)));
        } catch (ForebayException refused) {
            workloads.reject(workload, String.valueOf(refused.getMessage()));
            return Optional.empty();
        }
        if (versionRequests.isEmpty()) {
            workloads.admit(workload, "no pod of it needs a dataset", Set.of());
            return Optional.empty();
        }
        return Optional.of(versionRequests);
    }

    private static List<Gang> gangs(WorkloadRequest workloadRequest) {
        return workloadRequest.versionRequests().values().stream()
                .distinct()
                .map(versionRequest -> new Gang(workloadRequest.holder(), versionRequest))
                .toList();
    }

    private final class Question
            implements PollScheduler.Question<
                    WorkloadRequest, ReservedWorkload, Map<PodVersionRequest, RequestAnswer>> {

        @Override
        public Map<PodVersionRequest, RequestAnswer> ask(WorkloadRequest workloadRequest) {
            Executor together = new BoundedTasks(MOST_REQUESTS_AT_ONCE);
            Map<PodVersionRequest, CompletableFuture<RequestAnswer>> answers = new HashMap<>();
            for (Gang gang : gangs(workloadRequest)) {
                answers.put(
                        gang.versionRequest(),
                        CompletableFuture.supplyAsync(() -> requester.ensure(gang), together));
            }
            return answers.entrySet().stream()
                    .collect(
                            Collectors.toMap(
                                    Map.Entry::getKey, answer -> answer.getValue().join()));
        }

        @Override
        public boolean isSaid(Map<PodVersionRequest, RequestAnswer> answers) {
            return answers.values().stream().anyMatch(RequestAnswer::isSaid);
        }

        /** Compares the clocks of Kueue and of the API server, which should be in step. */
        @Override
        public Duration waitedBefore(WorkloadRequest workloadRequest, ReservedWorkload workload) {
            if (workloadRequest.versionRequests().values().stream()
                    .allMatch(versionRequest -> versionRequest.deadline().isEmpty())) {
                return Duration.ZERO;
            }
            try {
                return Duration.between(
                        Instant.parse(workloadRequest.reservedAt()), workloads.clock());
            } catch (DateTimeParseException unknown) {
                return Duration.ZERO;
            }
        }

        @Override
        public boolean isLate(
                WorkloadRequest workloadRequest, ReservedWorkload workload, Duration waited) {
            return workloadRequest.versionRequests().values().stream()
                    .anyMatch(versionRequest -> versionRequest.isLate(waited));
        }

        @Override
        public void judge(
                WorkloadRequest workloadRequest,
                ReservedWorkload workload,
                Duration waited,
                Optional<Map<PodVersionRequest, RequestAnswer>> answers) {
            Map<PodVersionRequest, GateDecision> verdicts = new LinkedHashMap<>();
            for (Gang gang : gangs(workloadRequest)) {
                PodVersionRequest versionRequest = gang.versionRequest();
                RequestAnswer answer =
                        answers.map(it -> it.getOrDefault(versionRequest, RequestAnswer.NONE))
                                .orElse(RequestAnswer.NONE);
                verdicts.put(
                        versionRequest,
                        GateDecision.of(
                                answer, versionRequest, region, versionRequest.isLate(waited)));
            }
            execute(workloadRequest, workload, verdicts);
        }
    }

    private void execute(
            WorkloadRequest workloadRequest,
            ReservedWorkload workload,
            Map<PodVersionRequest, GateDecision> verdicts) {
        GateDecision verdict = GateDecision.ofAll(List.copyOf(verdicts.values()));
        LOG.debugf("%s: %s", workloadRequest, verdict);
        String message = verdict.notice().message();
        try {
            switch (verdict) {
                case GateDecision.Wait _ -> workloads.tell(workload, message);
                case GateDecision.Open _ ->
                        workloads.admit(workload, message, cold(workloadRequest, verdicts));
                case GateDecision.Fail _ -> {
                    rejected.add(workloadRequest);
                    workloads.reject(workload, message);
                }
            }
        } catch (ForebayException notNow) {
            rejected.remove(workloadRequest);
            warn(workload, notNow);
        }
    }

    /** Returns the pod sets whose version is not in the region. */
    private static Set<String> cold(
            WorkloadRequest workloadRequest, Map<PodVersionRequest, GateDecision> verdicts) {
        return workloadRequest.versionRequests().entrySet().stream()
                .filter(
                        each ->
                                Optional.ofNullable(verdicts.get(each.getValue()))
                                        .filter(verdict -> !verdict.notice().warm())
                                        .isPresent())
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void warn(ReservedWorkload workload, ForebayException notNow) {
        LOG.warnf(
                "Workload %s/%s waits: %s",
                workload.namespace(), workload.name(), notNow.getMessage());
    }
}
