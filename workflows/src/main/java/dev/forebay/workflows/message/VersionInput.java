package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the entity workflow of a version starts with.
 *
 * @param bucket the lake bucket of the originals
 * @param prefix the key prefix of the originals; ends with {@code /} or is empty
 * @param ttl how long an unpinned version stays in a region
 * @param carried the state of the run before, when this one continues it
 * @param untold what happened in the run before and the catalogue has not heard of
 */
public record VersionInput(
        DatasetVersion version,
        String bucket,
        String prefix,
        Duration ttl,
        @Nullable VersionStatus carried,
        List<Happening> untold) {

    public VersionInput {
        untold = untold == null ? List.of() : untold;
    }
}
