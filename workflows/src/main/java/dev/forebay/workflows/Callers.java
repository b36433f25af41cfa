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
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for which regions, by the ids of their updates, so that they can be told to stop. A run
 * may end while some wait: they are expected to ask the next one, under the same ids.
 */
final class Callers {

    /** Who asks the next run when his time has passed is told what is there by then. */
    private static final Duration LEAST_PATIENCE = Duration.ofSeconds(5);

    private final Map<String, Caller> waiting = new LinkedHashMap<>();
    private final Map<String, Awaited> expected = new LinkedHashMap<>();
    private int answered;

    private record Caller(List<RegionName> regions, Deadline deadline, @Nullable Instant until) {}

    /**
     * @param awaited who waited when the run before ended
     */
    Callers(List<Awaited> awaited) {
        awaited.forEach(each -> expected.put(each.updateId(), each));
    }

    /** Serves a caller, who waits meanwhile. */
    <T> T during(EnsureRequest request, Function<Deadline, T> call) {
        String id = updateId();
        Awaited before = expected.remove(id);
        Duration patience = request.terms().deadline();
        Instant until = before != null ? before.until() : until(patience);
        Deadline deadline = new Deadline(before == null || until == null ? patience : left(until));
        Caller caller =
                new Caller(request.each().map(EnsureRequest::region).toList(), deadline, until);
        waiting.put(id, caller);
        try {
            return call.apply(deadline);
        } finally {
            waiting.remove(id, caller);
            answered++;
        }
    }

    private static @Nullable Instant until(@Nullable Duration patience) {
        return patience == null ? null : VersionState.now().plus(patience);
    }

    private static Duration left(Instant until) {
        Duration left = Duration.between(VersionState.now(), until);
        return left.compareTo(LEAST_PATIENCE) < 0 ? LEAST_PATIENCE : left;
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

    /**
     * Who is expected to ask the next run.
     *
     * @param filling whether a region is being filled: whoever waited for others only finds them as
     *     they are
     */
    List<Awaited> awaited(Predicate<RegionName> filling) {
        return Stream.concat(
                        expected.values().stream(),
                        waiting.entrySet().stream().map(Callers::awaited))
                .filter(each -> each.regions().stream().anyMatch(filling))
                .toList();
    }

    /**
     * Whether a request, by its id, waited when an earlier run ended, and has not asked this one.
     */
    boolean isExpected(String id) {
        return expected.containsKey(id);
    }

    /** Whether a request, by its id, is not answered: its caller asks the next run. */
    boolean isExpectedNext(String id) {
        return waiting.containsKey(id) || expected.containsKey(id);
    }

    private static Awaited awaited(Map.Entry<String, Caller> caller) {
        return new Awaited(caller.getKey(), caller.getValue().regions(), caller.getValue().until());
    }

    /**
     * Has a caller answered with CANCELLED and returns when he has been, and holds nothing.
     *
     * @return the regions that he waited for, in an earlier run maybe; none if he does not wait
     */
    List<RegionName> takeBack(String id) {
        Caller caller = waiting.get(id);
        if (caller == null) {
            Awaited gone = expected.remove(id);
            return gone == null ? List.of() : gone.regions();
        }
        caller.deadline().takeBack();
        Workflow.await(() -> !waiting.containsValue(caller));
        return caller.regions();
    }

    boolean isWaitedFor(RegionName region) {
        return waiting.values().stream().anyMatch(caller -> caller.regions().contains(region));
    }

    /** Whether somebody who waited when an earlier run ended is expected to ask again. */
    boolean isExpected(RegionName region) {
        return expected.values().stream().anyMatch(each -> each.regions().contains(region));
    }
}
