package dev.forebay.membership;

import dev.forebay.model.DatasetVersion;
import java.time.Duration;

/**
 * A lease on a version in a region.
 *
 * @param id chosen by the client, unique per version; 1 to 64 characters of {@code A-Z a-z 0-9 . _
 *     -}
 * @param holder who holds it, for people
 * @param reason what for, for people
 * @param lease how long it lives without renewal
 */
public record Pin(
        DatasetVersion version, String id, String holder, String reason, Duration lease) {}
