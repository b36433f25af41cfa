package dev.forebay.workflows.version;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.input.UnansweredRequest;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.state.CallerDeadline;
import dev.forebay.workflows.state.VersionState;
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
 * The unanswered requests of this run, by the ids of their updates, so that each can be cancelled.
 * If the run ends while some wait, their clients are expected to send them to the next run under
 * the same ids.
 */
final class UnansweredRequests {

    /**
     * The time that a request still gets if its deadline passed between two runs, to receive the
     * state of that moment.
     */
    private static final Duration LEAST_TIMEOUT = Duration.ofSeconds(5);

    private final Map<String, Caller> waiting = new LinkedHashMap<>();
    private final Map<String, UnansweredRequest> expected = new LinkedHashMap<>();
    private int answered;

    private record Caller(
            List<RegionName> regions, CallerDeadline deadline, @Nullable Instant until) {}

    /**
     * @param awaited the requests that waited when the previous run ended
     */
    UnansweredRequests(List<UnansweredRequest> awaited) {
        awaited.forEach(each -> expected.put(each.updateId(), each));
    }

    /** Runs {@code call} for a request and lists the request as waiting meanwhile. */
    <T> T during(EnsureRequest request, Function<CallerDeadline, T> call) {
        String id = updateId();
        UnansweredRequest before = expected.remove(id);
        Duration timeout = request.terms().deadline();
        Instant until = before != null ? before.until() : until(timeout);
        CallerDeadline deadline =
                new CallerDeadline(before == null || until == null ? timeout : left(until));
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

    private static @Nullable Instant until(@Nullable Duration timeout) {
        return timeout == null ? null : VersionState.now().plus(timeout);
    }

    private static Duration left(Instant until) {
        Duration left = Duration.between(VersionState.now(), until);
        return left.compareTo(LEAST_TIMEOUT) < 0 ? LEAST_TIMEOUT : left;
    }

    private static String updateId() {
        return Workflow.getCurrentUpdateInfo().map(UpdateInfo::getUpdateId).orElse("");
    }

    int waiting() {
        return waiting.size();
    }

    /** Returns how many requests this run has answered. */
    int answered() {
        return answered;
    }

    /**
     * Returns the requests that clients are expected to send to the next run.
     *
     * @param filling whether a region is being filled; requests for other regions alone are left
     *     out
     */
    List<UnansweredRequest> awaited(Predicate<RegionName> filling) {
        return Stream.concat(
                        expected.values().stream(),
                        waiting.entrySet().stream().map(UnansweredRequests::awaited))
                .filter(each -> each.regions().stream().anyMatch(filling))
                .toList();
    }

    /**
     * Returns whether the request with this id waited when an earlier run ended and has not arrived
     * in this run.
     */
    boolean isExpected(String id) {
        return expected.containsKey(id);
    }

    /**
     * Returns whether the request with this id is unanswered, so that its client sends it to the
     * next run.
     */
    boolean isExpectedNext(String id) {
        return waiting.containsKey(id) || expected.containsKey(id);
    }

    private static UnansweredRequest awaited(Map.Entry<String, Caller> caller) {
        return new UnansweredRequest(
                caller.getKey(), caller.getValue().regions(), caller.getValue().until());
    }

    /**
     * Answers a request with CANCELLED. Returns once the client has the answer and its request
     * holds no pin.
     *
     * @return the regions that the request waited for, perhaps in an earlier run; empty if it does
     *     not wait
     */
    List<RegionName> cancel(String id) {
        Caller caller = waiting.get(id);
        if (caller == null) {
            UnansweredRequest gone = expected.remove(id);
            return gone == null ? List.of() : gone.regions();
        }
        caller.deadline().cancel();
        Workflow.await(() -> !waiting.containsValue(caller));
        return caller.regions();
    }

    boolean isWaitedFor(RegionName region) {
        return waiting.values().stream().anyMatch(caller -> caller.regions().contains(region));
    }

    /**
     * Returns whether a request for the region that waited when an earlier run ended is expected
     * again.
     */
    boolean isExpected(RegionName region) {
        return expected.values().stream().anyMatch(each -> each.regions().contains(region));
    }
}
