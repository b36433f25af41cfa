package dev.forebay.agent.gate;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.AdmittedPod;
import dev.forebay.agent.jobs.Pods;
import dev.forebay.agent.jobs.VersionNotice;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/**
 * Opens the scheduling gate of pods whose version is in the region.
 *
 * <p>Each round compares all waiting pods with the control plane's answers, and repeats the request
 * of each gang. Missed events therefore do no harm. The only state is the time since which each
 * gang waits, for its deadline. A gang waits since its first pod was created, or since this agent
 * first saw it. The deadline of a pod that {@link WarmCheck} admitted late has passed already.
 * Several agents may run rounds at the same time. {@link #check} is for one thread.
 */
public final class Gate {

    private static final Logger LOG = Logger.getLogger(Gate.class);

    /** The most pods of a gang to check when the agent does not know why they no longer wait. */
    private static final int MOST_PODS_CHECKED = 32;

    private final Pods pods;
    private final VersionRequester requester;
    private final RegionName region;
    private final PollScheduler<Gang, List<AdmittedPod>, RequestAnswer> scheduler;

    private final PodPinOwners holders;

    private final Question question = new Question();

    /**
     * Gangs whose pods this agent has released or failed. Each of them has an entry in {@code
     * scheduler}.
     */
    private final Set<Gang> settled = ConcurrentHashMap.newKeySet();

    private volatile int waiting;

    Gate(
            Pods pods,
            VersionRequester requester,
            RegionName region,
            PollScheduler<Gang, List<AdmittedPod>, RequestAnswer> scheduler) {
        this.pods = pods;
        this.requester = requester;
        this.region = region;
        this.scheduler = scheduler;
        this.holders = new PodPinOwners(pods);
    }

    /** Returns how many pods waited in the last round. */
    public int waiting() {
        return waiting;
    }

    /**
     * Runs one round: checks all waiting pods, sends the requests that are due, and cancels the
     * requests of gangs whose pods were deleted.
     */
    public void check() {
        List<AdmittedPod> gated = pods.gated();
        waiting = gated.size();
        scheduler.round(
                gangs(gated),
                question,
                (gang, members) -> {
                    if (!settled.remove(gang) && !wereReleased(gang, members)) {
                        requester.cancel(gang);
                    }
                });
    }

    /**
     * Returns whether another agent has released the pods. They run then and may still need their
     * request.
     */
    private boolean wereReleased(Gang gang, List<AdmittedPod> members) {
        try {
            // The pods of a gang are released together, or deleted together.
            return members.stream().limit(MOST_PODS_CHECKED).anyMatch(pods::isOpen);
        } catch (ForebayException notNow) {
            LOG.warnf(
                    "Keeping the request of %s, because its pods may already run: %s",
                    gang.holder(), notNow.getMessage());
            return true;
        }
    }

    private Map<Gang, List<AdmittedPod>> gangs(List<AdmittedPod> gated) {
        holders.retain(gated);
        Map<Gang, List<AdmittedPod>> gangs = new LinkedHashMap<>();
        for (AdmittedPod pod : gated) {
            gang(pod).ifPresent(it -> gangs.computeIfAbsent(it, _ -> new ArrayList<>()).add(pod));
        }
        return gangs;
    }

    private Optional<Gang> gang(AdmittedPod pod) {
        try {
            Optional<PodVersionRequest> versionRequest = versionRequest(pod);
            if (versionRequest.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(new Gang(holders.of(pod), versionRequest.get()));
        } catch (ForebayException notNow) {
            LOG.warnf("Pod %s/%s waits: %s", pod.namespace(), pod.name(), notNow.getMessage());
            return Optional.empty();
        }
    }

    /** Annotations may change while a pod waits. */
    private Optional<PodVersionRequest> versionRequest(AdmittedPod pod) {
        try {
            Optional<PodVersionRequest> versionRequest = PodVersionRequest.of(pod.annotations());
            if (versionRequest.isEmpty()) {
                pods.tell(
                        pod,
                        new VersionNotice(
                                false, "NoDataset", PodVersionRequest.DATASET + " was removed"));
            }
            return versionRequest;
        } catch (ForebayException refused) {
            pods.tell(
                    pod,
                    new VersionNotice(
                            false, "InvalidArgument", String.valueOf(refused.getMessage())));
            return Optional.empty();
        }
    }

    private static boolean hasWaited(AdmittedPod pod) {
        return "true".equals(pod.annotations().get(Pods.LATE));
    }

    private final class Question
            implements PollScheduler.Question<Gang, List<AdmittedPod>, RequestAnswer> {

        @Override
        public RequestAnswer ask(Gang gang) {
            return requester.ensure(gang);
        }

        @Override
        public boolean isSaid(RequestAnswer answer) {
            return RequestAnswer.isSaid(answer);
        }

        /** Compares times of one clock, that of the API server. */
        @Override
        public Duration waitedBefore(Gang gang, List<AdmittedPod> members) {
            return gang.versionRequest().deadline().isEmpty()
                    ? Duration.ZERO
                    : members.stream()
                            .map(AdmittedPod::created)
                            .min(Comparator.naturalOrder())
                            .map(first -> Duration.between(first, pods.clock()))
                            .orElse(Duration.ZERO);
        }

        @Override
        public boolean isLate(Gang gang, List<AdmittedPod> members, Duration waited) {
            PodVersionRequest versionRequest = gang.versionRequest();
            return versionRequest.isLate(waited)
                    || (versionRequest.deadline().isPresent()
                            && members.stream().anyMatch(Gate::hasWaited));
        }

        @Override
        public void judge(
                Gang gang,
                List<AdmittedPod> members,
                Duration waited,
                Optional<RequestAnswer> answer) {
            execute(
                    gang,
                    members,
                    GateDecision.of(
                            answer.orElse(RequestAnswer.NONE),
                            gang.versionRequest(),
                            region,
                            isLate(gang, members, waited)));
        }
    }

    private void execute(Gang gang, List<AdmittedPod> members, GateDecision verdict) {
        if (!(verdict instanceof GateDecision.Wait)) {
            settled.add(gang);
        }
        LOG.debugf("%s: %s", gang, verdict);
        for (AdmittedPod pod : members) {
            try {
                switch (verdict) {
                    case GateDecision.Wait wait -> pods.tell(pod, wait.notice());
                    case GateDecision.Open open ->
                            pods.open(
                                    pod,
                                    open.notice(),
                                    // A pod that runs cold may have no pin yet.
                                    Optional.of(gang.holder().pinId())
                                            .filter(_ -> open.notice().warm()));
                    case GateDecision.Fail fail -> pods.fail(pod, fail.notice());
                }
            } catch (ForebayException notNow) {
                LOG.warnf("Pod %s/%s waits: %s", pod.namespace(), pod.name(), notNow.getMessage());
            }
        }
    }
}
