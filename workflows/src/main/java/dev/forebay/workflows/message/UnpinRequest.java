package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Request to release a pin. Does nothing if the pin has ended.
 *
 * @param takenAt the {@link PinGrant#takenAt take} to release: if another process has taken the pin
 *     over since, it stays; null releases any take
 */
public record UnpinRequest(RegionName region, String id, @Nullable Instant takenAt) {

    /** Releases the pin, whichever process took it last. */
    public UnpinRequest(RegionName region, String id) {
        this(region, id, null);
    }
}
