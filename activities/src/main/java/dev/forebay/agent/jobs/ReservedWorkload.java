package dev.forebay.agent.jobs;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Workload that has its quota and an AdmissionCheck of ours, as it was when it was seen last.
 *
 * @param resourceVersion guards what is written: an answer is none to what has changed since
 * @param reservedAt when it got its quota, by the clock of whoever gave it; it may lose its quota
 *     and get it again
 * @param owner what it was made for, if that is one thing
 * @param podSets the annotations of its pods, by the name of their set
 * @param checks ours
 */
public record ReservedWorkload(
        String namespace,
        String name,
        String uid,
        String resourceVersion,
        String reservedAt,
        Optional<Owner> owner,
        Map<String, Map<String, String>> podSets,
        List<Check> checks) {

    /**
     * What it was told by an AdmissionCheck.
     *
     * @param since when the state became this one, as RFC 3339 has it
     */
    public record Check(String name, State state, String message, String since) {}

    /** What becomes of it. */
    public enum State {
        /** It waits, and keeps its quota. */
        PENDING("Pending"),

        /** It may run, if all of its other checks say so, too. */
        READY("Ready"),

        /** It gives its quota back, and gets it again later. */
        RETRY("Retry"),

        /** It gives its quota back, and is deactivated. */
        REJECTED("Rejected");

        private final String word;

        State(String word) {
            this.word = word;
        }

        /** As Kueue writes it. */
        String word() {
            return word;
        }
    }

    /** Whether it waits to be told. */
    public boolean isPending() {
        return checks.stream().anyMatch(check -> check.state() == State.PENDING);
    }
}
