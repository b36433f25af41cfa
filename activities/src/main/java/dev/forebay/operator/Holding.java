package dev.forebay.operator;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What may be held in a region because of a resource. It is on record before it is asked for, and
 * struck off after it was let go.
 *
 * @param version what is brought there, or kept there
 * @param warm what is complete there and kept until {@code version} is
 */
record Holding(String region, String version, @Nullable String warm) {

    /** Every version that may be held there. */
    Set<String> versions() {
        Set<String> all = new LinkedHashSet<>();
        all.add(version);
        if (warm != null) {
            all.add(warm);
        }
        return all;
    }
}
