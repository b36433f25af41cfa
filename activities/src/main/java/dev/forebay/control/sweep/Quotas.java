package dev.forebay.control.sweep;

import dev.forebay.model.RegionName;
import java.util.Map;

/** How much namespaces may have in a region. Safe for use by many threads. */
public interface Quotas {

    /** Bytes by namespace; one that is not named has no limit. */
    Map<String, Long> bytes(RegionName region);
}
