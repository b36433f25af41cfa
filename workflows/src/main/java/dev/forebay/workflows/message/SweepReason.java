package dev.forebay.workflows.message;

/** Why a sweep has a copy of a version removed from a region. */
public enum SweepReason {
    /** Its dataset was deleted. */
    DATASET_DELETED,
    /** Its time to live has passed. */
    EXPIRED,
    /** The region holds it, and no version owns what it holds. */
    ORPHAN,
    /** Its namespace has more in the region than it may have. */
    QUOTA,
    /** The region's chunk stores are fuller than they should be. */
    WATERMARK
}
