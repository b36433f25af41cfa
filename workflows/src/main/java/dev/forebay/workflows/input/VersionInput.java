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
 * @param ttl the time to live of an unpinned version in a region
 * @param carried the state of the previous run, if this run continues it
 * @param unsavedHistory history entries of the previous run that the catalogue does not have yet
 * @param unfinishedFills fills that the previous run left
 * @param unansweredRequests requests that the previous run has not answered
 * @param unfinishedEvictions evictions that the previous run has not finished
 * @param provisionalPins pins of requests that the previous run has not answered
 */
public record VersionInput(
        DatasetVersion version,
        Duration ttl,
        @Nullable VersionStatus carried,
        List<HistoryEntry> unsavedHistory,
        List<UnfinishedFill> unfinishedFills,
        List<UnansweredRequest> unansweredRequests,
        List<UnfinishedEviction> unfinishedEvictions,
        List<ProvisionalPin> provisionalPins) {

    /** The input of a workflow that continues no other run's work in progress. */
    public VersionInput(DatasetVersion version, Duration ttl, @Nullable VersionStatus carried) {
        this(version, ttl, carried, List.of(), List.of(), List.of(), List.of(), List.of());
    }
}
