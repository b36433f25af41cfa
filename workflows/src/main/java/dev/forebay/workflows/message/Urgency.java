package dev.forebay.workflows.message;

/** Who is served first where many want something of a region. */
public enum Urgency {
    /** A job waits for its data. */
    INTERACTIVE,
    /** Nobody waits yet: the data may be needed later. */
    SPECULATIVE
}
