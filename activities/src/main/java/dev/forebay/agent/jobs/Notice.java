package dev.forebay.agent.jobs;

/**
 * What a pod is told of its version, as a condition and an event.
 *
 * @param warm whether it is there as a whole
 * @param reason for machines, in CamelCase
 * @param message for people
 */
public record Notice(boolean warm, String reason, String message) {

    /** The reason of a pod that waits for bytes that are on their way. */
    public static final String WARMING = "Warming";

    /** Whether somebody may have to do something. */
    boolean needsAttention() {
        return !warm && !reason.equals(WARMING);
    }
}
