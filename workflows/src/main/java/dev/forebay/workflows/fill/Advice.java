package dev.forebay.workflows.fill;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Problem;

/**
 * Adds to the problem of a failed fill the commands that help. Messages of some codes name their
 * own remedy. {@code docs/operations.md}, "A version is BLOCKED", has the same codes.
 */
final class Advice {

    /** The advice for codes whose messages name the remedy, because their causes differ. */
    private static final String AS_SAID = "mend that";

    private Advice() {}

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
                    "put the objects where 'forebay datasets show %s' says"
                            .formatted(version.dataset());
            case INVALID_KEY, LAKE_DENIED, LAKE_UNSUPPORTED, DENIED, TOO_LARGE, BUDGET_SPENT ->
                    AS_SAID;
            case LAKE_OBJECT_CHANGED ->
                    "put the object back as it was, or freeze what is there now by 'forebay freeze %s@NEW'"
                            .formatted(version.dataset());
            case LAKE_UNAVAILABLE -> "see whether the lake answers in " + region;
            case CORRUPT ->
                    "compare the object in the lake with its original, and check the workers' disks in "
                            + region;
            case CAPACITY_EXCEEDED ->
                    "make room: 'forebay pins --region %s' lists what may not go, 'forebay regions' what is full"
                            .formatted(region);
            case UNAVAILABLE ->
                    "see by 'forebay regions' whether the agent, the workers and etcd of %s are up"
                            .formatted(region);
            case EVICTING ->
                    "wait until the eviction is over, as 'forebay status %s' shows"
                            .formatted(version);
            case INVALID_ARGUMENT,
                    UNKNOWN_REGION,
                    NOT_FOUND,
                    ALREADY_EXISTS,
                    PINNED,
                    DEADLINE_EXCEEDED,
                    CANCELLED,
                    INTERNAL ->
                    "look at the failed activity in this workflow's history and report it";
        };
    }
}
