package dev.forebay.workflows.message;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The terms of a request for a version.
 *
 * @param minCoverage the part of the version's bytes that must be in each region, and verified,
 *     before the client gets an answer: 0 to 1
 * @param deadline the longest wait of the client, from when the workflow accepts the request, 1
 *     second to 7 days; unlimited if absent
 * @param onDeadline what the client gets when the deadline has passed
 * @param urgency the priority of the request
 */
public record RequestTerms(
        double minCoverage, @Nullable Duration deadline, OnDeadline onDeadline, Urgency urgency) {

    /** Full coverage, no deadline, for a job that waits. */
    public static final RequestTerms USUAL =
            new RequestTerms(1, null, OnDeadline.FAIL, Urgency.INTERACTIVE);

    /** How to answer a request whose deadline has passed. The fill continues in any case. */
    public enum OnDeadline {
        /** The refusal DEADLINE_EXCEEDED, which says how much is present. */
        FAIL,
        /** A receipt that says how much is present and why it is cold. */
        RUN_COLD
    }
}
