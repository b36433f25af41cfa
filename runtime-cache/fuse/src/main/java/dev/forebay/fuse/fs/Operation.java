package dev.forebay.fuse.fs;

import java.util.Locale;

/** What the kernel can ask for, as far as it is counted. */
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

    /** The value of the metrics' {@code operation} tag. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
