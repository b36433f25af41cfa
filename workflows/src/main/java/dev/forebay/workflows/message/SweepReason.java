package dev.forebay.workflows.message;

/** Why a sweep removes a copy of a version from a region. */
public enum SweepReason {
    /** Its dataset was deleted. */
    DATASET_DELETED,
    /** Its time to live has ended. */
    EXPIRED,
    /** The region holds it, but no version owns it. */
    ORPHAN,
    /** Its namespace uses more space in the region than its quota. */
    QUOTA,
    /** The region's chunk stores are above their watermark. */
    WATERMARK
}
