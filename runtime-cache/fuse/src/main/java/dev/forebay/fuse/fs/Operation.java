package dev.forebay.fuse.fs;

import java.util.Locale;

/** The kinds of kernel requests that metrics distinguish. */
public enum Operation {
    LOOKUP,
    FORGET,
    GETATTR,
    OPENDIR,
    READDIR,
    OPEN,
    READ,
    RELEASE,
    STATFS,
    XATTR,
    OTHER;

    /** Returns the value of the {@code operation} tag in metrics. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
