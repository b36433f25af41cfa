package dev.forebay.workflows.fill;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Problem;

/**
 * Adds to the problem of a failed fill what a person has to do, with the commands. Messages of some
 * codes name their own remedy. {@code docs/operations.md}, "A version is BLOCKED", has the same
 * codes.
 */
final class FillAdvice {

    /** The advice for codes whose messages name the remedy, because their causes differ. */
    private static final String AS_SAID = "correct this";

    private FillAdvice() {}

    /** Returns the problem with the advice for its code appended to the message. */
    static Problem with(Problem problem, DatasetVersion version, RegionName region) {
        return new Problem(
                problem.code(),
                "%s. To do: %s; then 'forebay resume %s --region %s', or 'forebay abandon %s --region %s' to give it up"
                        .formatted(
                                stripped(problem.message()),
                                of(problem.code(), version, region),
                                version,
                                region,
                                version,
                                region));
    }

    private static String stripped(String message) {
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }

    private static String of(ErrorCode code, DatasetVersion version, RegionName region) {
        return switch (code) {
            case LAKE_EMPTY ->
                    "put the objects at the source that 'forebay datasets show %s' shows"
                            .formatted(version.dataset());
            case INVALID_KEY, LAKE_DENIED, LAKE_UNSUPPORTED, DENIED, TOO_LARGE, BUDGET_SPENT ->
                    AS_SAID;
            case LAKE_OBJECT_CHANGED ->
                    "restore the object, or freeze the present objects with 'forebay freeze %s@NEW'"
                            .formatted(version.dataset());
            case LAKE_UNAVAILABLE -> "check that the lake answers in " + region;
            case CORRUPT ->
                    "compare the object in the lake with its original, and check the workers' disks in "
                            + region;
            case CAPACITY_EXCEEDED ->
                    "free space: 'forebay pins --region %s' lists the pins, and 'forebay regions' the used space"
                            .formatted(region);
            case UNAVAILABLE ->
                    "check with 'forebay regions' that the agent, the workers and etcd of %s are running"
                            .formatted(region);
            case EVICTING ->
                    "wait for the end of the eviction, which 'forebay status %s' shows"
                            .formatted(version);
            case INVALID_ARGUMENT,
                    UNKNOWN_REGION,
                    NOT_FOUND,
                    ALREADY_EXISTS,
                    PINNED,
                    DEADLINE_EXCEEDED,
                    CANCELLED,
                    INTERNAL ->
                    "report the failed activity in this workflow's history";
        };
    }
}
