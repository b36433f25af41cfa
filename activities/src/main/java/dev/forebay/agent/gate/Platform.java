package dev.forebay.agent.gate;

/** Who has versions brought into regions. Safe for use by many threads. */
interface Platform {

    /**
     * Has the version that a gang asks for brought into the region, and pinned for its holder; the
     * same request however often it is asked. Does not wait until it is there.
     */
    Answer ensure(Gang gang);

    /**
     * Whether filling the region with the gang's version has failed, and nobody has done anything
     * about it yet. So it is, too, if there is no answer.
     */
    boolean isBlocked(Gang gang);

    /**
     * Takes back what a gang has asked for, if it was not answered yet: nobody waits for it any
     * more. If it is not known whether that arrived, a log says so.
     */
    void takeBack(Gang gang);
}
