package dev.forebay.workflows;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.EnsureRequest;
import io.temporal.workflow.UpdateInfo;
import io.temporal.workflow.Workflow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Who waits for which regions, by the ids of their updates, so that they can be told to stop. */
final class Callers {

    private final Map<String, Caller> waiting = new LinkedHashMap<>();

    private record Caller(List<RegionName> regions, Deadline deadline) {}

    /** Serves a caller, who waits meanwhile. */
    <T> T during(EnsureRequest request, Deadline deadline, Supplier<T> call) {
        String id = Workflow.getCurrentUpdateInfo().map(UpdateInfo::getUpdateId).orElse("");
        Caller caller = new Caller(request.each().map(EnsureRequest::region).toList(), deadline);
        waiting.put(id, caller);
        try {
            return call.get();
        } finally {
            waiting.remove(id, caller);
        }
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
