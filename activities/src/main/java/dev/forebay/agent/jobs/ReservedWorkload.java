package dev.forebay.agent.jobs;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Workload that has its quota and one of our AdmissionChecks, in its last known state.
 *
 * @param resourceVersion guards writes, so that no answer applies to a changed Workload
 * @param reservedAt when it got its quota, by Kueue's clock; it may lose its quota and get it again
 * @param owner the object it was created for, if there is exactly one
 * @param podSets the annotations of its pods, by the name of their pod set
 * @param checks those of Forebay
 */
public record ReservedWorkload(
        String namespace,
        String name,
        String uid,
        String resourceVersion,
        String reservedAt,
        Optional<ControllerReference> owner,
        Map<String, Map<String, String>> podSets,
        List<Check> checks) {

    /**
     * An answer of an AdmissionCheck.
     *
     * @param since when the state changed to this one, as RFC 3339 text
     */
    public record Check(String name, State state, String message, String since) {}

    /** The state of a check. */
    public enum State {
        /** The Workload waits and keeps its quota. */
        PENDING("Pending"),

        /** The Workload may run, if its other checks agree. */
        READY("Ready"),

        /** The Workload gives its quota back, and gets it again later. */
        RETRY("Retry"),

        /** The Workload gives its quota back and is deactivated. */
        REJECTED("Rejected");

        private final String word;

        State(String word) {
            this.word = word;
        }

        /** Returns Kueue's spelling of the state. */
        String word() {
            return word;
        }
    }

    /** Returns whether the Workload waits for an answer. */
    public boolean isPending() {
        return checks.stream().anyMatch(check -> check.state() == State.PENDING);
    }
}
