package dev.forebay.agent.jobs;

/**
 * The state of a pod's version, shown to it as a condition and an event.
 *
 * @param warm whether the whole version is in the region
 * @param reason for machines, in CamelCase
 * @param message for people
 */
public record VersionNotice(boolean warm, String reason, String message) {

    /** The reason of a pod that waits for bytes that are on their way. */
    public static final String WARMING = "Warming";

    /** Returns whether a person may have to act. */
    boolean needsAttention() {
        return !warm && !reason.equals(WARMING);
    }
}
