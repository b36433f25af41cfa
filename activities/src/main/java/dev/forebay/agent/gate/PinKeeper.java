package dev.forebay.agent.gate;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.AdmittedPod;
import dev.forebay.agent.jobs.Jobs;
import dev.forebay.agent.jobs.PinOwner;
import dev.forebay.agent.jobs.Pods;
import dev.forebay.membership.Pin;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Takes pins for running gangs that have none. A gang that runs cold may not have got its pin yet.
 * The pin of another gang has ended if no agent could renew its lease in time.
 *
 * <p>Each round compares all running pods, as in {@link Gate}. Several agents may do this at the
 * same time. {@link #check} is for one thread.
 */
public final class PinKeeper {

    private static final Logger LOG = Logger.getLogger(PinKeeper.class);

    private final Pods pods;
    private final Jobs jobs;
    private final Supplier<List<Pin>> pins;
    private final VersionRequester requester;
    private final Duration lease;
    private final PollScheduler<Gang, Gang, RequestAnswer> scheduler;
    private final PodPinOwners holders;
    private final Question question = new Question();

    /** Requests without a final answer. Some have their pin already while the fill continues. */
    private final Set<Gang> unanswered = ConcurrentHashMap.newKeySet();

    /** The reason of the last refusal since the previous round. */
    private final AtomicReference<@Nullable String> refusal = new AtomicReference<>();

    private volatile int lacking;

    /** A pin that a gang has or needs. */
    private record Key(DatasetVersion version, String pinId) {}

    /**
     * @param jobs not closed with this
     * @param pins returns the known pins of the region
     * @param lease of the pins
     */
    PinKeeper(
            Pods pods,
            Jobs jobs,
            Supplier<List<Pin>> pins,
            VersionRequester requester,
            Duration lease,
            PollScheduler<Gang, Gang, RequestAnswer> scheduler) {
        this.pods = pods;
        this.jobs = jobs;
        this.pins = pins;
        this.requester = requester;
        this.lease = lease;
        this.scheduler = scheduler;
        this.holders = new PodPinOwners(pods);
    }

    /** Returns how many gangs ran without their pin in the last round. */
    public int lacking() {
        return lacking;
    }

    /**
     * Runs one round: checks all running pods, requests missing pins, and cancels unanswered
     * requests of pods that no longer run.
     *
     * @throws ForebayException {@code UNAVAILABLE} if the API server does not answer, or the state
     *     of the region is not known yet
     */
    public void check() {
        // Read before the pods: a pod in the later list has not ended, so its end cannot explain a
        // missing pin.
        Set<Key> held = held();
        Set<Gang> running = gangs(pods.running());
        // Read after the pods, too: a pod may have got its pin just before it was released.
        held.addAll(held());
        Set<Gang> wanted =
                withoutEnded(
                        running, gang -> !held.contains(key(gang)) || unanswered.contains(gang));
        lacking = (int) wanted.stream().filter(gang -> !held.contains(key(gang))).count();
        warn();
        scheduler.round(
                wanted.stream().collect(Collectors.toMap(gang -> gang, gang -> gang)),
                question,
                (gang, _) -> {
                    if (unanswered.remove(gang)) {
                        requester.cancel(gang);
                    }
                });
    }

    private Set<Key> held() {
        return pins.get().stream()
                .map(pin -> new Key(pin.version(), pin.id()))
                .collect(Collectors.toCollection(HashSet::new));
    }

    /** Logs one line for all, because hundreds of gangs may lack a pin in each round. */
    private void warn() {
        String why = refusal.getAndSet(null);
        if (why != null && lacking > 0) {
            LOG.warnf("%d gangs run without their pins: %s", lacking, why);
        }
    }

    private Set<Gang> gangs(List<AdmittedPod> running) {
        holders.retain(running);
        return running.stream()
                .flatMap(pod -> gang(pod).stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Has no deadline, because the pods run already. */
    private Optional<Gang> gang(AdmittedPod pod) {
        try {
            return PodVersionRequest.of(pod.annotations())
                    .map(
                            versionRequest ->
                                    new PodVersionRequest(
                                            versionRequest.version(),
                                            Optional.empty(),
                                            false,
                                            versionRequest.create()))
                    .map(versionRequest -> new Gang(holders.of(pod), versionRequest));
        } catch (ForebayException notNow) {
            LOG.debugf("Pod %s/%s: %s", pod.namespace(), pod.name(), notNow.getMessage());
            return Optional.empty();
        }
    }

    /** Some kinds of Jobs leave pods running after their end, which has ended the pin. */
    private Set<Gang> withoutEnded(Set<Gang> running, Predicate<Gang> which) {
        Map<Gang, Pin> some =
                running.stream().filter(which).collect(Collectors.toMap(gang -> gang, this::pin));
        if (some.isEmpty()) {
            return Set.of();
        }
        Set<String> over = jobs.over(some.values());
        return some.keySet().stream()
                .filter(gang -> !over.contains(gang.holder().uid()))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static Key key(Gang gang) {
        return new Key(gang.versionRequest().version(), gang.holder().pinId());
    }

    private Pin pin(Gang gang) {
        PinOwner holder = gang.holder();
        return new Pin(
                gang.versionRequest().version(),
                holder.pinId(),
                holder.toString(),
                "training",
                lease,
                holder.uid());
    }

    private final class Question implements PollScheduler.Question<Gang, Gang, RequestAnswer> {

        @Override
        public RequestAnswer ask(Gang gang) {
            unanswered.add(gang);
            return requester.ensure(gang);
        }

        @Override
        public boolean isSaid(RequestAnswer answer) {
            return RequestAnswer.isSaid(answer);
        }

        @Override
        public boolean isLate(Gang gang, Gang same, Duration waited) {
            return false;
        }

        @Override
        public void judge(Gang gang, Gang same, Duration waited, Optional<RequestAnswer> answer) {
            RequestAnswer said = answer.orElse(RequestAnswer.NONE);
            if (RequestAnswer.isSaid(said) && !(said instanceof RequestAnswer.Coming)) {
                unanswered.remove(gang);
            }
            if (said instanceof RequestAnswer.Warm) {
                LOG.infof(
                        "%s has its pin on %s again",
                        gang.holder(), gang.versionRequest().version());
            } else if (said instanceof RequestAnswer.Refused refused) {
                refusal.set(
                        "%s on %s: %s"
                                .formatted(
                                        gang.holder(),
                                        gang.versionRequest().version(),
                                        refused.why()));
            }
        }
    }
}
