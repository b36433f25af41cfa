package dev.forebay.lake;

/** Hears what becomes of single attempts at requests. Implementations are quick and never throw. */
@FunctionalInterface
public interface LakeEvents {

    /** Hears nothing. */
    LakeEvents NONE = throttled -> {};

    /**
     * An attempt failed in a way that another one may mend; usually one follows.
     *
     * @param throttled whether the lake said that there are too many
     */
    void attemptFailed(boolean throttled);
}
