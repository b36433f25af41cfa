package dev.forebay.workflows;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Awaited;
import dev.forebay.workflows.message.EnsureRequest;
import io.temporal.workflow.UpdateInfo;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for which regions, by the ids of their updates, so that they can be told to stop. A run
 * may end while some wait: they ask the next one, under the same ids.
 */
final class Callers {

    /** Who does not ask the next run within this time is not expected any more. */
    private static final Duration MEMORY = Duration.ofHours(1);

    private final Map<String, Caller> waiting = new LinkedHashMap<>();
    private final Map<String, Instant> deadlines = new LinkedHashMap<>();
    private int answered;

    private record Caller(List<RegionName> regions, Deadline deadline) {}

    /**
     * @param awaited who waited when the run before ended
     */
    Callers(List<Awaited> awaited) {
        awaited.forEach(each -> deadlines.put(each.updateId(), each.until()));
    }

    /**
     * The deadline of the present caller.
     *
     * @param patience how long he waits, from when the first run took up his request; for as long
     *     as it takes if absent
     */
    Deadline deadline(@Nullable Duration patience) {
        if (patience == null) {
            return new Deadline(null);
        }
        Instant now = VersionState.now();
        Instant until = deadlines.computeIfAbsent(updateId(), _ -> now.plus(patience));
        Duration left = Duration.between(now, until);
        return new Deadline(left.isPositive() ? left : Duration.ofMillis(1));
    }

    /** Serves a caller, who waits meanwhile. */
    <T> T during(EnsureRequest request, Deadline deadline, Supplier<T> call) {
        String id = updateId();
        Caller caller = new Caller(request.each().map(EnsureRequest::region).toList(), deadline);
        waiting.put(id, caller);
        try {
            return call.get();
        } finally {
            waiting.remove(id, caller);
            deadlines.remove(id);
            answered++;
        }
    }

    private static String updateId() {
        return Workflow.getCurrentUpdateInfo().map(UpdateInfo::getUpdateId).orElse("");
    }

    int waiting() {
        return waiting.size();
    }

    /** How many this run has answered. */
    int answered() {
        return answered;
    }

    /** Who is expected to ask the next run. */
    List<Awaited> awaited() {
        Instant forgotten = VersionState.now().minus(MEMORY);
        return deadlines.entrySet().stream()
                .filter(each -> each.getValue().isAfter(forgotten))
                .map(each -> new Awaited(each.getKey(), each.getValue()))
                .toList();
    }

    /**
     * Has a caller answered with CANCELLED and returns when he has been, and holds nothing.
     *
     * @return the regions that he waited for; none if he does not wait
     */
    List<RegionName> takeBack(String id) {
        Caller caller = waiting.get(id);
        if (caller == null) {
            return List.of();
        }
        caller.deadline().takeBack();
        Workflow.await(() -> !waiting.containsValue(caller));
        return caller.regions();
    }

    boolean isWaitedFor(RegionName region) {
        return waiting.values().stream().anyMatch(caller -> caller.regions().contains(region));
    }
}
