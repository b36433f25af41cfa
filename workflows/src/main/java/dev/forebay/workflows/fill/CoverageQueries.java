package dev.forebay.workflows.fill;

import dev.forebay.lifecycle.VersionEvent.WarmProgressed;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.activity.RegionActivities.Coverage;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.state.VersionState;
import dev.forebay.workflows.support.ActivityStubs;
import io.temporal.failure.ActivityFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Promise;
import io.temporal.workflow.Workflow;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Asks the workers of a region for their coverage of a version that is being filled. It asks one
 * question at a time per region, and its answer serves all callers that wait for it.
 */
public final class CoverageQueries {

    private final VersionState state;
    private final Map<RegionName, Query> running = new LinkedHashMap<>();

    public CoverageQueries(VersionState state) {
        this.state = state;
    }

    private record Query(Instant asked, Promise<Optional<Coverage>> answer) {}

    /**
     * Returns the region's answer to a question asked at {@code since} or later. Empty if the
     * version is not mounted, if the region does not answer, or if {@code over} comes true first.
     */
    public Optional<Coverage> at(RegionName region, Instant since, BooleanSupplier over) {
        while (state.isMounted(region) && !over.getAsBoolean()) {
            Query query = running.get(region);
            if (query == null) {
                query = begin(region);
            }
            Promise<Optional<Coverage>> answer = query.answer();
            Workflow.await(() -> answer.isCompleted() || over.getAsBoolean());
            if (!answer.isCompleted()) {
                return Optional.empty();
            }
            if (!query.asked().isBefore(since)) {
                return answer.get();
            }
        }
        return Optional.empty();
    }

    private Query begin(RegionName region) {
        Query query = new Query(VersionState.now(), Async.function(() -> ask(region)));
        running.put(region, query);
        return query;
    }

    private Optional<Coverage> ask(RegionName region) {
        ManifestRef manifest = state.status().manifest();
        try {
            if (manifest == null) {
                return Optional.empty();
            }
            Coverage coverage =
                    ActivityStubs.query(state.version(), region).confirm(state.version(), manifest);
            State now = state.state(region);
            if (now != State.WARMING && now != State.CACHED) {
                return Optional.empty(); // an eviction began while the workers were asked
            }
            state.apply(
                    new WarmProgressed(
                            region, coverage.bytesVerified(), coverage.bytesFromLake(), 0));
            return Optional.of(coverage);
        } catch (ActivityFailure unanswered) {
            return Optional.empty();
        } finally {
            running.remove(region);
        }
    }
}
