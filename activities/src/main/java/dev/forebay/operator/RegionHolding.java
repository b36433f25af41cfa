package dev.forebay.operator;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The versions that a region may hold for a resource. They are recorded before they are requested,
 * and removed from the record after their release.
 *
 * @param version the version to bring there or keep there
 * @param warm the complete version that is kept there until {@code version} is complete
 */
record RegionHolding(String region, String version, @Nullable String warm) {

    /** Returns every version that the region may hold. */
    Set<String> versions() {
        Set<String> all = new LinkedHashSet<>();
        all.add(version);
        if (warm != null) {
            all.add(warm);
        }
        return all;
    }
}
