package dev.forebay.workflows.message;

/** The priority of work that competes for a region. */
public enum Urgency {
    /** A job waits for its data. */
    INTERACTIVE,
    /** No client waits yet: a job may need the data later. */
    SPECULATIVE
}
