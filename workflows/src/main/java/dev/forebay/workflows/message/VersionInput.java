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
 * @param fillings that the run before has left
 * @param awaited the requests with deadlines that it has not answered
 * @param evictions that it has not finished; empty from earlier code
 * @param taken pins that it has taken for requests that it has not answered; as above
 */
public record VersionInput(
        DatasetVersion version,
        String bucket,
        String prefix,
        Duration ttl,
        @Nullable VersionStatus carried,
        List<Happening> untold,
        List<Unfinished> fillings,
        List<Awaited> awaited,
        List<Leaving> evictions,
        List<Taken> taken) {

    public VersionInput {
        untold = untold == null ? List.of() : untold;
        fillings = fillings == null ? List.of() : fillings;
        awaited = awaited == null ? List.of() : awaited;
        evictions = evictions == null ? List.of() : evictions;
        taken = taken == null ? List.of() : taken;
    }

    /** For a workflow that no other run came before. */
    public VersionInput(
            DatasetVersion version,
            String bucket,
            String prefix,
            Duration ttl,
            @Nullable VersionStatus carried) {
        this(
                version, bucket, prefix, ttl, carried, List.of(), List.of(), List.of(), List.of(),
                List.of());
    }
}
