package dev.forebay.agent.gate;

import dev.forebay.agent.jobs.AdmittedPod;
import dev.forebay.agent.jobs.ControllerReference;
import dev.forebay.agent.jobs.PinOwner;
import dev.forebay.agent.jobs.Pods;
import dev.forebay.model.ForebayException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Finds the owner of each pod's pin. All pods of one controller share one lookup. Not thread-safe.
 */
final class PodPinOwners {

    private final Pods pods;

    /** By the uid of the pods' controller, whose owners never change. */
    private final Map<String, PinOwner> known = new HashMap<>();

    PodPinOwners(Pods pods) {
        this.pods = pods;
    }

    /** Removes the entries of all other pods. */
    void retain(Collection<AdmittedPod> there) {
        known.keySet()
                .retainAll(
                        there.stream()
                                .map(PodPinOwners::controllerUid)
                                .collect(Collectors.toSet()));
    }

    /**
     * Returns the holder of a pod's pin.
     *
     * @throws ForebayException {@code UNAVAILABLE} if the API server does not answer
     */
    PinOwner of(AdmittedPod pod) {
        PinOwner before = known.get(controllerUid(pod));
        if (before != null) {
            return before;
        }
        PinOwner found = pods.holder(pod);
        if (!found.uid().equals(pod.uid())) {
            known.put(controllerUid(pod), found);
        }
        return found;
    }

    private static String controllerUid(AdmittedPod pod) {
        return pod.owner().map(ControllerReference::uid).orElse(pod.uid());
    }
}
