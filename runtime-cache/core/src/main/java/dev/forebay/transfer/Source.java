package dev.forebay.transfer;

import java.util.Locale;

/** The place from which a worker took the bytes of an answer. */
public enum Source {
    /** Its own chunk store. */
    CACHE,
    /** Another worker of the region. */
    PEER,
    /** Another region. */
    SIBLING,
    /** The lake. */
    LAKE;

    /** Returns the value of the {@code Forebay-Source} header. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Source parse(String wireName) {
        for (Source source : values()) {
            if (source.wireName().equals(wireName)) {
                return source;
            }
        }
        return CACHE;
    }
}
