package dev.forebay.workflows.message;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * On what terms somebody asks for a version.
 *
 * @param minCoverage the part of the version's bytes that must be in each region, and verified,
 *     before the caller is answered: 0 to 1
 * @param deadline how long the caller waits at most, from when the workflow takes up the request, 1
 *     second to 7 days; for as long as it takes if absent
 * @param onDeadline what the caller gets when the deadline has passed
 * @param urgency who is served first
 */
public record Terms(
        double minCoverage, @Nullable Duration deadline, OnDeadline onDeadline, Urgency urgency) {

    /** All of it, however long it takes, for a job that waits. */
    public static final Terms USUAL = new Terms(1, null, OnDeadline.FAIL, Urgency.INTERACTIVE);

    /** What becomes of a request whose deadline has passed; the filling goes on in any case. */
    public enum OnDeadline {
        /** A refusal, DEADLINE_EXCEEDED, that says how far it came. */
        FAIL,
        /** A receipt that says how far it came and why it is cold. */
        RUN_COLD
    }
}
