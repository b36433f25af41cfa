package dev.forebay.worker.http;

import java.util.Locale;

/** The kind of a request, for its lane and for the {@code operation} tag of the request metrics. */
public enum Operation {
    READ,
    FILL,
    VERIFY,
    MANIFEST,
    IMAGE,
    COVERAGE,
    DROP,
    DRAIN,
    STATUS,
    ACCOUNTS,
    USAGE;

    /** Returns the value of the metric tag. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
