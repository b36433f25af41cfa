package dev.forebay.agent.gate;

/** Requests versions from the control plane. Safe for use by many threads. */
interface VersionRequester {

    /**
     * Requests the version of a gang in the region, with a pin for its holder. Repeated calls are
     * the same request. Does not wait for the version.
     */
    RequestAnswer ensure(Gang gang);

    /**
     * Returns whether the fill of the gang's version has failed and waits for an operator. True
     * also if there is no answer.
     */
    boolean isBlocked(Gang gang);

    /**
     * Cancels the request of a gang, if it was not answered yet. Logs a warning if the outcome is
     * unknown.
     */
    void cancel(Gang gang);
}
