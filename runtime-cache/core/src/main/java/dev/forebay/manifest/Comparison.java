package dev.forebay.manifest;

/**
 * Counts how a version differs from the previous one. An object is the same if key, size, ETag and
 * version id are equal.
 *
 * @param unchanged objects that are the same
 * @param changed objects that are in both versions, but differ
 * @param added objects that the previous version did not have
 * @param removed objects that only the previous version has
 * @param newBytes the size of changed and added objects, and of unchanged objects that got a new
 *     place. A region with the previous version still has to fetch them
 */
public record Comparison(long unchanged, long changed, long added, long removed, long newBytes) {

    /** Returns whether both versions have the same objects. */
    public boolean isSame() {
        return changed == 0 && added == 0 && removed == 0;
    }
}
