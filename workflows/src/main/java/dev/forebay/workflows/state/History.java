package dev.forebay.workflows.state;

import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.lifecycle.VersionEvent;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.HistoryEntry.Kind;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.workflow.Workflow;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The history entries of a version that the catalogue does not have yet, at most {@value #MOST}.
 * While the catalogue is unavailable, the oldest ones are dropped.
 */
public final class History {

    /** Bounds the payload of a projection and the state that a run hands to the next. */
    static final int MOST = 100;

    private static final int LONGEST_TEXT = 1_000;

    private final List<HistoryEntry> unreported;
    private int count;

    /**
     * @param carried the entries that the previous run has not delivered
     */
    History(List<HistoryEntry> carried) {
        this.unreported = new ArrayList<>(carried);
    }

    public List<HistoryEntry> unreported() {
        return List.copyOf(unreported);
    }

    public void reported(List<HistoryEntry> entries) {
        unreported.removeAll(entries);
    }

    /**
     * Adds an entry for an event that changed the residency or the first or last pin of a region.
     *
     * @param why for people; may be empty
     */
    void note(VersionEvent event, VersionStatus before, VersionStatus after, String why) {
        if (!(event instanceof VersionEvent.Regional regional) || before.equals(after)) {
            return;
        }
        RegionName region = regional.region();
        Residency was = Lifecycle.residency(before, region);
        Residency is = Lifecycle.residency(after, region);
        switch (regional) {
            case VersionEvent.Ensured _, VersionEvent.Resumed _ ->
                    add(is, Kind.ASKED_FOR, null, why);
            case VersionEvent.Confirmed _ -> {
                if (is.state() == State.CACHED) {
                    add(is, Kind.CACHED, null, why);
                }
            }
            case VersionEvent.FillFailed failed ->
                    add(is, Kind.BLOCKED, failed.problem().code(), failed.problem().message());
            case VersionEvent.Lost _ -> add(was, Kind.LOST, null, why);
            case VersionEvent.PinGranted granted -> {
                if (Lifecycle.pins(before, region).isEmpty()) {
                    add(is, Kind.PINNED, null, granted.pin().holder());
                }
            }
            case VersionEvent.PinEnded ended -> {
                if (Lifecycle.pins(after, region).isEmpty()) {
                    add(is, Kind.RELEASED, null, holder(before, ended));
                }
            }
            case VersionEvent.EvictionBegun _ -> add(was, Kind.EVICTING, null, why);
            case VersionEvent.EvictionRefused _ -> add(is, Kind.SPARED, null, why);
            case VersionEvent.EvictionFinished _ -> add(was, Kind.EVICTED, null, why);
            case VersionEvent.Mounted _,
                    VersionEvent.WarmProgressed _,
                    VersionEvent.FillCounted _,
                    VersionEvent.PinRenewed _,
                    VersionEvent.HandedOut _,
                    VersionEvent.Read _ -> {}
        }
    }

    private static String holder(VersionStatus before, VersionEvent.PinEnded ended) {
        return Lifecycle.pin(before, ended.region(), ended.id())
                .map(pin -> pin.holder())
                .orElse("");
    }

    private void add(Residency of, Kind kind, @Nullable ErrorCode code, String text) {
        if (unreported.size() >= MOST) {
            unreported.removeFirst();
        }
        unreported.add(
                new HistoryEntry(
                        Workflow.getInfo().getOriginalExecutionRunId() + "/" + count++,
                        VersionState.now(),
                        of.region(),
                        kind,
                        code,
                        text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT),
                        of.bytesCached()));
    }
}
