package dev.forebay.workflows;

import dev.forebay.lifecycle.Event;
import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.VersionInput;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.workflow.Workflow;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The only mutable state of a workflow run. Only events change it. */
final class VersionState {

    private final Chronicle chronicle;
    private VersionStatus status;

    VersionState(VersionInput input) {
        this.chronicle = new Chronicle(input.untold());
        VersionStatus carried = input.carried();
        this.status =
                carried != null
                        ? carried
                        : new VersionStatus(
                                input.version(), null, input.ttl(), List.of(), List.of());
    }

    void apply(Event event) {
        apply(event, "");
    }

    /**
     * As {@link #apply(Event)}.
     *
     * @param why for people
     */
    void apply(Event event, String why) {
        VersionStatus before = status;
        status = Lifecycle.apply(before, event);
        chronicle.note(event, before, status, why);
    }

    Chronicle chronicle() {
        return chronicle;
    }

    VersionStatus status() {
        return status;
    }

    DatasetVersion version() {
        return status.version();
    }

    Residency residency(RegionName region) {
        return Lifecycle.residency(status, region);
    }

    State state(RegionName region) {
        return residency(region).state();
    }

    boolean isMounted(RegionName region) {
        return residency(region).path() != null;
    }

    Optional<PinGrant> pin(RegionName region, String id) {
        return Lifecycle.pin(status, region, id);
    }

    List<PinGrant> pins(RegionName region) {
        return Lifecycle.pins(status, region);
    }

    /** Blocks the calling handler until no eviction is in progress in the region. */
    void awaitNotEvicting(RegionName region) {
        Workflow.await(() -> state(region) != State.EVICTING);
    }

    /** Returns the workflow's time, which is the same in every replay. */
    static Instant now() {
        return Instant.ofEpochMilli(Workflow.currentTimeMillis());
    }
}
