package dev.forebay.workflows.state;

import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.lifecycle.VersionEvent;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.input.VersionInput;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.workflow.Workflow;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Holds the status and the history of a version during a run of its workflow. Only {@link
 * VersionEvent}s change it.
 */
public final class VersionState {

    private final History history;
    private VersionStatus status;

    public VersionState(VersionInput input) {
        this.history = new History(input.unsavedHistory());
        VersionStatus carried = input.carried();
        this.status =
                carried != null
                        ? carried
                        : new VersionStatus(
                                input.version(), null, input.ttl(), List.of(), List.of());
    }

    public void apply(VersionEvent event) {
        apply(event, "");
    }

    /**
     * As {@link #apply(VersionEvent)}.
     *
     * @param why the reason for the event, for people
     */
    public void apply(VersionEvent event, String why) {
        VersionStatus before = status;
        status = Lifecycle.apply(before, event);
        history.note(event, before, status, why);
    }

    public History history() {
        return history;
    }

    public VersionStatus status() {
        return status;
    }

    public DatasetVersion version() {
        return status.version();
    }

    public Residency residency(RegionName region) {
        return Lifecycle.residency(status, region);
    }

    public State state(RegionName region) {
        return residency(region).state();
    }

    public boolean isMounted(RegionName region) {
        return residency(region).path() != null;
    }

    public Optional<PinGrant> pin(RegionName region, String id) {
        return Lifecycle.pin(status, region, id);
    }

    public List<PinGrant> pins(RegionName region) {
        return Lifecycle.pins(status, region);
    }

    /** Blocks the calling handler until no eviction is in progress in the region. */
    public void awaitNotEvicting(RegionName region) {
        Workflow.await(() -> state(region) != State.EVICTING);
    }

    /** Returns the workflow's time, which is the same in every replay. */
    public static Instant now() {
        return Instant.ofEpochMilli(Workflow.currentTimeMillis());
    }
}
