package dev.forebay.control.catalogue;

/** The moment from which the time to live of an unpinned copy counts. */
public enum TtlAfter {
    /** The end of its last pin, or the last receipt without a pin. */
    PIN,
    /** As PIN, or the last read that the region's workers saw, if that is later. */
    READ
}
