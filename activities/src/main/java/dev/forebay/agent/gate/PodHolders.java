package dev.forebay.agent.gate;

import dev.forebay.agent.jobs.AdmittedPod;
import dev.forebay.agent.jobs.Holder;
import dev.forebay.agent.jobs.Owner;
import dev.forebay.agent.jobs.Pods;
import dev.forebay.model.ForebayException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Who holds the pins of pods, looked up once for all that have one maker. For one thread. */
final class PodHolders {

    private final Pods pods;

    /** By the uid of what made their pods: its owners do not change. */
    private final Map<String, Holder> known = new HashMap<>();

    PodHolders(Pods pods) {
        this.pods = pods;
    }

    /** Forgets those of others. */
    void retain(Collection<AdmittedPod> there) {
        known.keySet().retainAll(there.stream().map(PodHolders::maker).collect(Collectors.toSet()));
    }

    /**
     * Whose life the pin of a pod has.
     *
     * @throws ForebayException {@code UNAVAILABLE} if the API server does not say
     */
    Holder of(AdmittedPod pod) {
        Holder before = known.get(maker(pod));
        if (before != null) {
            return before;
        }
        Holder found = pods.holder(pod);
        if (!found.uid().equals(pod.uid())) {
            known.put(maker(pod), found);
        }
        return found;
    }

    private static String maker(AdmittedPod pod) {
        return pod.owner().map(Owner::uid).orElse(pod.uid());
    }
}
