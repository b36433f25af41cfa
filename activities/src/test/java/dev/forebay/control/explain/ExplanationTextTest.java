package dev.forebay.control.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.control.catalogue.tracking.Tracking.LastCheck;
import dev.forebay.control.progress.RegionProgress;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.activity.TrackingActivities.Check;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.HistoryEntry.Kind;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ExplanationTextTest {

    private static final RegionName REGION = new RegionName("us-1");
    private static final DatasetVersion V1 = DatasetVersion.parse("team/digits@v1");
    private static final DatasetVersion V2 = DatasetVersion.parse("team/digits@v2");
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00.5Z");
    private static final ManifestRef MANIFEST =
            new ManifestRef("s3://f/m", new Digest("a".repeat(64)), 3, 2_000, 1);

    private final List<HistoryEntry> history = new ArrayList<>();
    private @Nullable LastCheck lastCheck;

    @Test
    void aCompleteVersionIsWarmAndNamesItsPinOwners() {
        assertThat(said(State.CACHED, 2_000, null, List.of(pin("run train-7"), pin("run train-7"))))
                .containsExactly(
                        "team/digits@v1 is warm in us-1: all its 2,000 bytes are present and "
                                + "verified since 2026-11-20T12:00:00Z.",
                        "It stays while it is pinned by run train-7.");
    }

    @Test
    void anUnpinnedVersionShowsWhenItMayBeEvicted() {
        happened(Kind.LOST, 1, "");
        assertThat(said(State.CACHED, 2_000, null, List.of()))
                .contains(
                        "It was complete before. At 2026-11-20T12:01:00Z workers lacked some of "
                                + "its chunks, which were filled again.",
                        "It has no pin and can be evicted from 2026-11-20T12:00:00Z on.");
    }

    @Test
    void anEvictedVersionShowsWhenAndWhyAndItsLastPinOwner() {
        happened(Kind.ASKED_FOR, 0, "");
        happened(Kind.CACHED, 1, "");
        happened(Kind.RELEASED, 2, "run train-7");
        happened(Kind.EVICTING, 3, "its time to live has ended");
        happened(Kind.EVICTED, 4, "its time to live has ended");

        assertThat(said(State.ABSENT, 0, null, List.of()))
                .containsExactly(
                        "team/digits@v1 is cold in us-1: it was evicted at 2026-11-20T12:04:00Z, "
                                + "because its time to live has ended.",
                        "It had been complete since 2026-11-20T12:01:00Z.",
                        "Its last pin, of run train-7, ended at 2026-11-20T12:02:00Z.");
    }

    @Test
    void aVersionWithoutHistoryShowsThatItWasNeverRequested() {
        assertThat(said(State.ABSENT, 0, null, List.of()))
                .containsExactly(
                        "team/digits@v1 is cold in us-1: its history has no request for it there.");
    }

    @Test
    void aFillingVersionShowsItsProgressAndWhyItWasCold() {
        happened(Kind.CACHED, 0, "");
        happened(Kind.EVICTED, 1, "");
        happened(Kind.ASKED_FOR, 2, "");

        assertThat(said(State.WARMING, 500, null, List.of()))
                .containsExactly(
                        "team/digits@v1 is cold in us-1: it is being filled, and 25 % of its "
                                + "2,000 bytes are present.",
                        "The fill started at 2026-11-20T12:02:00Z.",
                        "It was there before, and was evicted at 2026-11-20T12:01:00Z, for an "
                                + "unknown reason.");
    }

    @Test
    void aVersionThatLostBytesShowsThatWhileItIsRefilled() {
        happened(Kind.ASKED_FOR, 0, "");
        happened(Kind.CACHED, 1, "");
        happened(Kind.LOST, 2, "");

        assertThat(String.join(" ", said(State.WARMING, 500, null, List.of())))
                .contains("It was complete before. Then workers lacked some of its chunks");
    }

    @Test
    void aBlockedVersionShowsWhatToDoAndThatTheLakeChanged() {
        happened(Kind.BLOCKED, 1, "digits/7.png was overwritten");
        Problem problem =
                new Problem(
                        ErrorCode.LAKE_OBJECT_CHANGED,
                        "digits/7.png was overwritten. To do: put it back");

        assertThat(said(State.BLOCKED, 500, problem, List.of()))
                .containsExactly(
                        "team/digits@v1 is cold in us-1: its fill stopped at "
                                + "2026-11-20T12:01:00Z: LAKE_OBJECT_CHANGED: digits/7.png was "
                                + "overwritten. To do: put it back.",
                        "The lake has changed: its objects differ from the frozen version.",
                        "500 of its bytes are present and kept for the next attempt.");
    }

    @Test
    void anOldColdVersionNamesTheNewestAndCompleteVersions() {
        Explanation old =
                new Explanation(
                        V1,
                        REGION,
                        progress(State.ABSENT, 0, null),
                        List.of(),
                        history,
                        V2,
                        List.of(V2),
                        null);

        assertThat(old.sentences())
                .endsWith(
                        "It is not the newest version: 'latest' is v2.",
                        "Complete there: v2. Unchanged chunks are shared between versions and "
                                + "are not fetched again.");
    }

    @Test
    void theExplanationEndsWithTheResultOfTheLastCheck() {
        lastCheck = new LastCheck(NOON, new Check(V2, 1_200, 3, 0), null);
        assertThat(said(State.CACHED, 2_000, null, List.of()))
                .endsWith(
                        "The last check of the lake, at 2026-11-20T12:00:00Z, created v2: since "
                                + "the previous version, 1,200 objects were changed, 3 added and 0 "
                                + "removed.");
        lastCheck = new LastCheck(NOON, new Check(null, 0, 0, 0), null);
        assertThat(said(State.CACHED, 2_000, null, List.of()))
                .endsWith(
                        "The last check of the lake, at 2026-11-20T12:00:00Z, found no change "
                                + "since the newest version.");
        lastCheck =
                new LastCheck(
                        NOON,
                        new Check(null, 0, 0, 0),
                        new Problem(ErrorCode.LAKE_DENIED, "no access"));
        assertThat(said(State.CACHED, 2_000, null, List.of()))
                .endsWith(
                        "The last check of the lake, at 2026-11-20T12:00:00Z, failed: LAKE_DENIED: no access.");
    }

    private void happened(Kind kind, int minute, String text) {
        ErrorCode code = kind == Kind.BLOCKED ? ErrorCode.LAKE_OBJECT_CHANGED : null;
        history.addFirst(
                new HistoryEntry(
                        "run/" + history.size(),
                        NOON.plusSeconds(60L * minute),
                        REGION,
                        kind,
                        code,
                        text,
                        0));
    }

    private List<String> said(
            State state, long bytes, @Nullable Problem problem, List<PinGrant> pins) {
        return new Explanation(
                        V1,
                        REGION,
                        progress(state, bytes, problem),
                        pins,
                        history,
                        V1,
                        List.of(),
                        lastCheck)
                .sentences();
    }

    private static RegionProgress progress(State state, long bytes, @Nullable Problem problem) {
        Instant at = state == State.CACHED ? NOON : null;
        return RegionProgress.of(
                new Residency(REGION, state, bytes, 0, null, at, at, problem, 0, null, 0),
                MANIFEST);
    }

    private static PinGrant pin(String holder) {
        return new PinGrant(REGION, "p", holder, "", NOON);
    }
}
