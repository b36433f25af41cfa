package dev.forebay.agent;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.activity.RegionActivities;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.SpaceClaim;
import dev.forebay.workflows.message.Urgency;
import io.temporal.activity.ActivityCancellationType;
import io.temporal.activity.ActivityOptions;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A workflow that runs one activity of a region, by which a test calls an agent. */
@WorkflowInterface
public interface RegionCalls {

    /** The activity to call. */
    enum Step {
        ADMIT,
        WARM,
        CONFIRM,
        PIN,
        REMAINING,
        UNPIN,
        BEGIN_EVICTION,
        DROP
    }

    /** A call. */
    record Call(
            String region,
            Step step,
            DatasetVersion version,
            ManifestRef manifest,
            @Nullable PinRequest pin) {}

    /** Returns the activity's result as text. */
    @WorkflowMethod(name = "RegionCall")
    String call(Call call);

    /**
     * The implementation. Its heartbeat timeout reveals the death of an agent during long steps.
     */
    final class Impl implements RegionCalls {

        private static final Set<Step> LONG = Set.of(Step.WARM, Step.DROP);

        @Override
        public String call(Call call) {
            RegionActivities region =
                    Workflow.newActivityStub(
                            RegionActivities.class,
                            ActivityOptions.newBuilder()
                                    .setTaskQueue(
                                            (call.step() == Step.WARM
                                                            ? "forebay-warm-"
                                                            : "forebay-region-")
                                                    + call.region())
                                    .setStartToCloseTimeout(Duration.ofMinutes(2))
                                    .setHeartbeatTimeout(
                                            LONG.contains(call.step())
                                                    ? Duration.ofSeconds(3)
                                                    : null)
                                    .setCancellationType(
                                            ActivityCancellationType.WAIT_CANCELLATION_COMPLETED)
                                    .build());
            PinRequest pin = call.pin();
            String pinId = pin == null ? "" : pin.id();
            return switch (call.step()) {
                case ADMIT ->
                        region.admit(
                                call.version(),
                                call.manifest(),
                                new SpaceClaim(Urgency.INTERACTIVE, null, Instant.EPOCH));
                case WARM ->
                        region.warm(call.version(), call.manifest(), 0, call.manifest().chunks())
                                .toString();
                case CONFIRM -> region.confirm(call.version(), call.manifest()).toString();
                case PIN -> String.valueOf(pin == null ? null : region.pin(call.version(), pin));
                case REMAINING ->
                        String.valueOf(
                                region.remaining(call.version(), List.of(pinId, "other")).keySet());
                case UNPIN -> {
                    region.unpin(call.version(), pinId);
                    yield "";
                }
                case BEGIN_EVICTION -> {
                    region.beginEviction(call.version());
                    yield "";
                }
                case DROP -> {
                    region.drop(call.version(), call.manifest());
                    yield "";
                }
            };
        }
    }
}
