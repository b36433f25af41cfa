package dev.forebay.control.catalogue;

/** From what the time to live of an unpinned copy counts. */
public enum TtlAfter {
    /** Its last pin has ended, or somebody got a receipt without one. */
    PIN,
    /** As PIN, and also somebody has read it, as far as the region's workers see. */
    READ
}
