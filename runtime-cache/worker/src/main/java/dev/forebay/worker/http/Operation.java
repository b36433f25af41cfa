package dev.forebay.worker.http;

import java.util.Locale;

/** What a request asks for; the {@code operation} tag of the request metrics. */
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
    ACCOUNTS;

    /** The value of the metric's tag. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
