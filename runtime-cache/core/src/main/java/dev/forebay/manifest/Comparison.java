package dev.forebay.manifest;

/**
 * How a version differs from the one before it. An object is the same if key, size, ETag and
 * version id are.
 *
 * @param unchanged objects that are the same
 * @param changed objects that are there in both, and not the same
 * @param added objects that the version before did not have
 * @param removed objects that only the version before has
 * @param newBytes the sizes of what was changed or added, and of what is the same but was laid
 *     anew: what a region that has the version before has still to fetch
 */
public record Comparison(long unchanged, long changed, long added, long removed, long newBytes) {

    /** Whether both have the same objects. */
    public boolean isSame() {
        return changed == 0 && added == 0 && removed == 0;
    }
}
