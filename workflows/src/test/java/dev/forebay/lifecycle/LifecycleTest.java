package dev.forebay.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lifecycle.VersionEvent.Confirmed;
import dev.forebay.lifecycle.VersionEvent.Ensured;
import dev.forebay.lifecycle.VersionEvent.EvictionBegun;
import dev.forebay.lifecycle.VersionEvent.EvictionFinished;
import dev.forebay.lifecycle.VersionEvent.EvictionRefused;
import dev.forebay.lifecycle.VersionEvent.FillCounted;
import dev.forebay.lifecycle.VersionEvent.FillFailed;
import dev.forebay.lifecycle.VersionEvent.HandedOut;
import dev.forebay.lifecycle.VersionEvent.Ingested;
import dev.forebay.lifecycle.VersionEvent.Lost;
import dev.forebay.lifecycle.VersionEvent.Mounted;
import dev.forebay.lifecycle.VersionEvent.PinEnded;
import dev.forebay.lifecycle.VersionEvent.PinGranted;
import dev.forebay.lifecycle.VersionEvent.PinRenewed;
import dev.forebay.lifecycle.VersionEvent.Read;
import dev.forebay.lifecycle.VersionEvent.Resumed;
import dev.forebay.lifecycle.VersionEvent.TtlSet;
import dev.forebay.lifecycle.VersionEvent.WarmProgressed;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.Filling;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.VersionStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class LifecycleTest {

    private static final RegionName US = new RegionName("us-1");
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final Duration TTL = Duration.ofHours(1);
    private static final Problem DENIED = new Problem(ErrorCode.LAKE_DENIED, "no access");

    private static final VersionStatus NEW =
            new VersionStatus(
                    DatasetVersion.of("team", "digits", "v1"), null, TTL, List.of(), List.of());
    private static final VersionStatus WARMING =
            after(
                    NEW,
                    new Ensured(US),
                    new Ingested(
                            new ManifestRef("s3://f/m", new Digest("a".repeat(64)), 3, 1_000, 1)),
                    new Mounted(US, "/mnt/forebay/team/digits/v1", NOON.minusSeconds(60)),
                    new WarmProgressed(US, 400, 300, 2));
    private static final VersionStatus CACHED =
            after(WARMING, new Confirmed(US, 1_000, 900, 0, NOON));
    private static final VersionStatus BLOCKED = after(WARMING, new FillFailed(US, DENIED));
    private static final VersionStatus PINNED = after(CACHED, new PinGranted(pin("p", 60)));

    @Test
    void bytesCountedByAFillAreSeparateFromCoverageAndMayRestart() {
        Residency counted = residency(after(WARMING, new FillCounted(US, 300, 1)));
        assertThat(counted.bytesCached()).isEqualTo(400);
        assertThat(counted.filling()).isEqualTo(new Filling(NOON.minusSeconds(60), 0, 300, 1));
        assertThat(
                        residency(
                                after(
                                        WARMING,
                                        new FillCounted(US, 300, 1),
                                        new FillCounted(US, 0, 0))))
                .isEqualTo(residency(WARMING));
        assertThat(after(CACHED, new FillCounted(US, 300, 1))).isEqualTo(CACHED);
        assertThat(after(NEW, new Ensured(US), new FillCounted(US, 300, 1)))
                .isEqualTo(after(NEW, new Ensured(US)));
    }

    @Test
    void aRegionIsAbsentUntilItIsRequested() {
        assertThat(Lifecycle.residency(NEW, US).state()).isEqualTo(State.ABSENT);
        assertThat(Lifecycle.isExpired(NEW, US, NOON)).isFalse();
    }

    @Test
    void aCompleteCopyBecomesCachedAndStartsItsTtl() {
        Residency us = residency(CACHED);
        assertThat(us.state()).isEqualTo(State.CACHED);
        assertThat(us.bytesCached()).isEqualTo(1_000);
        assertThat(us.bytesFromLake()).isEqualTo(900);
        assertThat(us.cachedAt()).isEqualTo(NOON);
        assertThat(Lifecycle.evictableAt(CACHED, US)).contains(NOON.plus(TTL));
    }

    @Test
    void aCopyThatLacksAByteStaysWarming() {
        assertThat(after(WARMING, new Confirmed(US, 999, 900, 0, NOON))).isEqualTo(WARMING);
    }

    @Test
    void aCopyExpiresExactlyWhenItsTtlEnds() {
        assertThat(Lifecycle.isExpired(CACHED, US, NOON.plus(TTL).minusMillis(1))).isFalse();
        assertThat(Lifecycle.isExpired(CACHED, US, NOON.plus(TTL))).isTrue();
    }

    @Test
    void theTtlStartsWhenTheLastPinEnds() {
        VersionStatus two = after(PINNED, new PinGranted(pin("q", 90)));
        assertThat(Lifecycle.evictableAt(two, US)).isEmpty();

        VersionStatus one = after(two, new PinEnded(US, "p", NOON.plusSeconds(60)));
        assertThat(Lifecycle.evictableAt(one, US)).isEmpty();

        VersionStatus none = after(one, new PinEnded(US, "q", NOON.plusSeconds(90)));
        assertThat(Lifecycle.evictableAt(none, US)).contains(NOON.plusSeconds(90).plus(TTL));
    }

    @Test
    void onlyADifferentTtlStartsTheTtlAgain() {
        Instant later = NOON.plusSeconds(1_000);
        assertThat(after(CACHED, new TtlSet(TTL, later))).isEqualTo(CACHED);

        VersionStatus longer = after(CACHED, new TtlSet(Duration.ofHours(2), later));
        assertThat(Lifecycle.evictableAt(longer, US)).contains(later.plus(Duration.ofHours(2)));
        assertThat(Lifecycle.nextExpiry(longer, NOON)).contains(later.plus(Duration.ofHours(2)));
        assertThat(Lifecycle.nextExpiry(longer, later.plus(Duration.ofHours(2)))).isEmpty();
    }

    @Test
    void aPinTakenWhileWarmingPreventsTheTtlFromStarting() {
        VersionStatus pinned =
                after(
                        WARMING,
                        new PinGranted(pin("p", 60)),
                        new Confirmed(US, 1_000, 900, 0, NOON));
        assertThat(Lifecycle.evictableAt(pinned, US)).isEmpty();
    }

    @Test
    void aRenewalMovesThePinsExpiry() {
        VersionStatus renewed = after(PINNED, new PinRenewed(US, "p", NOON.plusSeconds(99)));
        assertThat(Lifecycle.pin(renewed, US, "p")).contains(pin("p", 99));
        assertThat(after(CACHED, new PinRenewed(US, "p", NOON))).isEqualTo(CACHED);

        PinGrant ofJob = new PinGrant(US, "j", "job", "training", NOON, "uid");
        VersionStatus later =
                after(CACHED, new PinGranted(ofJob), new PinRenewed(US, "j", NOON.plusSeconds(9)));
        assertThat(Lifecycle.pin(later, US, "j")).contains(ofJob.until(NOON.plusSeconds(9)));
    }

    @Test
    void aPinnedCopyIsNotEvicted() {
        assertThat(after(PINNED, new EvictionBegun(US))).isEqualTo(PINNED);
    }

    @Test
    void aRefusedEvictionRestoresACachedCopyAndRefillsAnIncompleteOne() {
        VersionStatus refused =
                after(CACHED, new EvictionBegun(US), new EvictionRefused(US, NOON.plusSeconds(5)));
        assertThat(residency(refused).state()).isEqualTo(State.CACHED);
        assertThat(residency(refused).cachedAt()).isEqualTo(NOON);
        assertThat(Lifecycle.evictableAt(refused, US)).contains(NOON.plusSeconds(5).plus(TTL));

        VersionStatus incomplete =
                after(BLOCKED, new EvictionBegun(US), new EvictionRefused(US, NOON));
        assertThat(residency(incomplete).state()).isEqualTo(State.WARMING);
    }

    @Test
    void aReceiptWithoutAPinRestartsTheTtlUnlessItJustStarted() {
        Instant later = NOON.plusSeconds(600);
        assertThat(Lifecycle.evictableAt(after(CACHED, new HandedOut(US, later)), US))
                .contains(later.plus(TTL));
        assertThat(after(CACHED, new HandedOut(US, NOON.plusSeconds(60)))).isEqualTo(CACHED);
        assertThat(after(PINNED, new HandedOut(US, later))).isEqualTo(PINNED);
        assertThat(after(WARMING, new HandedOut(US, later))).isEqualTo(WARMING);
    }

    @Test
    void aReadRestartsTheTtlAndNeverShortensIt() {
        Instant later = NOON.plusSeconds(600);
        assertThat(Lifecycle.evictableAt(after(CACHED, new Read(US, later)), US))
                .contains(later.plus(TTL));
        assertThat(after(CACHED, new Read(US, NOON.minusSeconds(600)))).isEqualTo(CACHED);
        assertThat(after(PINNED, new Read(US, later))).isEqualTo(PINNED);
        VersionStatus evicting = after(CACHED, new EvictionBegun(US));
        assertThat(after(evicting, new Read(US, later))).isEqualTo(evicting);
    }

    @Test
    void aFillRecordsItsStartTimeAndInitialBytes() {
        assertThat(residency(WARMING).filling()).isEqualTo(new Filling(NOON.minusSeconds(60), 0));
        assertThat(residency(CACHED).filling()).isNull();
        assertThat(residency(CACHED).objectsCached()).isEqualTo(3);
        VersionStatus again = after(BLOCKED, new Resumed(US), new Mounted(US, "/mnt/x", NOON));
        assertThat(residency(again).filling()).isEqualTo(new Filling(NOON, 400));
    }

    @Test
    void anEvictedCopyLeavesNoState() {
        VersionStatus gone = after(CACHED, new EvictionBegun(US), new EvictionFinished(US));
        assertThat(residency(gone)).isEqualTo(Lifecycle.residency(NEW, US));
    }

    @Test
    void aPinInAnEvictingOrAbsentRegionIsIgnored() {
        VersionStatus evicting = after(CACHED, new EvictionBegun(US));
        assertThat(after(evicting, new PinGranted(pin("p", 60)))).isEqualTo(evicting);
        assertThat(after(NEW, new PinGranted(pin("p", 60)))).isEqualTo(NEW);
    }

    @Test
    void aBlockedRegionHasAReasonAndFillsAgainOnRequest() {
        assertThat(residency(BLOCKED).blocked()).isEqualTo(DENIED);

        VersionStatus again = after(BLOCKED, new Resumed(US));
        assertThat(residency(again).state()).isEqualTo(State.WARMING);
        assertThat(residency(again).blocked()).isNull();
        assertThat(residency(again).bytesFromLake()).isEqualTo(300);
        assertThat(residency(again).bytesCached()).isEqualTo(400);
        assertThat(residency(again).objectsCached()).isEqualTo(2);
        assertThat(after(BLOCKED, new Ensured(US))).isEqualTo(again);
        assertThat(after(CACHED, new Resumed(US))).isEqualTo(CACHED);
    }

    @Test
    void aRegionThatLostItsCopyIsWarmingAgain() {
        VersionStatus lost = after(PINNED, new Lost(US));
        assertThat(residency(lost).state()).isEqualTo(State.WARMING);
        assertThat(residency(lost).bytesCached()).isZero();
        assertThat(residency(lost).bytesFromLake()).isEqualTo(residency(PINNED).bytesFromLake());
        assertThat(lost.pins()).isEqualTo(PINNED.pins());
    }

    private static PinGrant pin(String id, long seconds) {
        return new PinGrant(US, id, "job", "training", NOON.plusSeconds(seconds));
    }

    private static Residency residency(VersionStatus status) {
        return Lifecycle.residency(status, US);
    }

    private static VersionStatus after(VersionStatus status, VersionEvent... events) {
        VersionStatus now = status;
        for (VersionEvent event : events) {
            now = Lifecycle.apply(now, event);
        }
        return now;
    }
}
