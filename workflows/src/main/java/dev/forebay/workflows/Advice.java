package dev.forebay.workflows;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Problem;

/** What a person can do when a filling has failed for good. */
final class Advice {

    private Advice() {}

    /** The problem with what to do about it. */
    static Problem with(Problem problem, RegionName region) {
        return new Problem(
                problem.code(),
                "%s. To do: %s; then resume, or ask for it again; or abandon it"
                        .formatted(stripped(problem.message()), of(problem.code(), region)));
    }

    private static String stripped(String message) {
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }

    private static String of(ErrorCode code, RegionName region) {
        return switch (code) {
            case LAKE_EMPTY -> "check the dataset's bucket and prefix";
            case INVALID_KEY -> "rename the objects named here, or choose another prefix";
            case LAKE_OBJECT_CHANGED ->
                    "put the object back as it was, or register the data as a new version";
            case LAKE_DENIED -> "give Forebay's credentials what is said to be missing";
            case LAKE_UNAVAILABLE -> "see whether the lake answers in " + region;
            case LAKE_UNSUPPORTED ->
                    "keep the data in a bucket, or behind a gateway, that does as S3 promises";
            case CORRUPT ->
                    "compare the object in the lake with its original, and check the workers' disks in "
                            + region;
            case CAPACITY_EXCEEDED -> "evict versions or add workers in %s".formatted(region);
            case BUDGET_SPENT -> "give its namespace a larger budget";
            case TOO_LARGE -> "add workers or give them larger stores in " + region;
            case UNAVAILABLE ->
                    "see whether the agent, the workers and etcd of %s are up".formatted(region);
            case EVICTING -> "wait until the eviction in %s has ended".formatted(region);
            case DENIED -> "ask for the permission that is missing";
            case UNKNOWN_REGION -> "use one of the regions of this installation";
            case INVALID_ARGUMENT,
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
