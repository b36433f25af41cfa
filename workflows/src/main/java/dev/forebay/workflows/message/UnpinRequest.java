package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Let go of a pin; does nothing if it has ended.
 *
 * @param takenAt which {@link PinGrant#takenAt take} is let go of: one that was taken over by
 *     another process since stays; null for whatever there is
 */
public record UnpinRequest(RegionName region, String id, @Nullable Instant takenAt) {

    /** Whoever has taken it last. */
    public UnpinRequest(RegionName region, String id) {
        this(region, id, null);
    }
}
