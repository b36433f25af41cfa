package dev.forebay.workflows.input;

import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.VersionStatus;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The input of a version's entity workflow.
 *
 * @param bucket the lake bucket of the originals
 * @param prefix the key prefix of the originals; ends with {@code /} or is empty
 * @param ttl the time to live of an unpinned version in a region
 * @param carried the state of the previous run, if this run continues it
 * @param untold history entries of the previous run that the catalogue does not have yet
 * @param fillings fills that the previous run left
 * @param awaited requests that the previous run has not answered
 * @param evictions evictions that the previous run has not finished; empty from earlier code
 * @param taken pins of requests that the previous run has not answered; empty from earlier code
 */
public record VersionInput(
        DatasetVersion version,
        String bucket,
        String prefix,
        Duration ttl,
        @Nullable VersionStatus carried,
        List<HistoryEntry> untold,
        List<UnfinishedFill> fillings,
        List<UnansweredRequest> awaited,
        List<UnfinishedEviction> evictions,
        List<ProvisionalPin> taken) {

    public VersionInput {
        untold = untold == null ? List.of() : untold;
        fillings = fillings == null ? List.of() : fillings;
        awaited = awaited == null ? List.of() : awaited;
        evictions = evictions == null ? List.of() : evictions;
        taken = taken == null ? List.of() : taken;
    }

    /** The input of a workflow that continues no other run's work in progress. */
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
