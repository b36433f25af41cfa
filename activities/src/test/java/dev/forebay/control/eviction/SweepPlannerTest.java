package dev.forebay.control.eviction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.forebay.control.catalogue.Resident;
import dev.forebay.control.catalogue.TtlAfter;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.service.gateway.UsageReport.Mounted;
import dev.forebay.service.gateway.UsageReport.Share;
import dev.forebay.service.space.SharedBytes;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.Victim;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepPlannerTest {

    private static final RegionName US = new RegionName("us-1");
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final Duration TTL = Duration.ofHours(10);

    private final SweepPlanner planner = new SweepPlanner(new Watermarks(0.9, 0.5));
    private final List<Resident> residents = new ArrayList<>();
    private final List<Mounted> mounted = new ArrayList<>();
    private final List<Share> shares = new ArrayList<>();
    private final List<String> unknown = new ArrayList<>();
    private final List<String> dropped = new ArrayList<>();
    private final Map<DatasetVersion, Double> requests = new HashMap<>();

    @Test
    void anExpiredUnpinnedVersionIsAVictim() {
        add("old", copy().unusedFor(10));
        add("young", copy().unusedFor(9));
        add("held", copy().pinned());
        add("filling", copy().in(State.WARMING));
        add("blocked", copy().in(State.BLOCKED));
        add("leaving", copy().in(State.EVICTING));

        SweepPlan plan = plan(Map.of());

        assertThat(plan.victims())
                .extracting(Victim::version, Victim::reason, Victim::bytes)
                .containsExactly(tuple(version("old"), SweepReason.EXPIRED, 100L));
        assertThat(plan.victims().getFirst().why()).contains("10h");
        assertThat(plan.reads()).isEmpty();
        assertThat(plan.notes()).isEmpty();
    }

    @Test
    void aReadDelaysExpiryOnlyWithTtlAfterRead() {
        add("read", copy().unusedFor(20).readAgo(3).after(TtlAfter.READ));
        add("unread", copy().unusedFor(20).after(TtlAfter.READ));
        add("read-long-ago", copy().unusedFor(20).readAgo(10).after(TtlAfter.READ));
        add("read-all-the-same", copy().unusedFor(20).readAgo(3));

        SweepPlan plan = plan(Map.of());

        assertThat(plan.victims())
                .extracting(Victim::version)
                .containsExactly(
                        version("unread"), version("read-long-ago"), version("read-all-the-same"));
        assertThat(plan.reads())
                .containsExactly(new SweepPlan.Read(version("read"), Duration.ofHours(3)));
    }

    @Test
    void aVersionWithUnknownReadsIsNotEvicted() {
        add("maybe", copy().unusedFor(20).after(TtlAfter.READ));
        unknown.add("worker w2 does not answer");

        SweepPlan plan = plan(Map.of());
        SweepPlan withoutAnswer =
                planner.plan(
                        new SweepSurvey(
                                US,
                                NOON,
                                residents,
                                Optional.empty(),
                                List.of(),
                                Map.of(),
                                List.of(),
                                worth(),
                                List.of("the agent is away")));

        assertThat(plan.victims()).isEmpty();
        assertThat(plan.notes()).anyMatch(note -> note.startsWith("1 versions may have expired"));
        assertThat(withoutAnswer.victims()).isEmpty();
        assertThat(withoutAnswer.notes()).contains("the agent is away");
    }

    @Test
    void unpinnedVersionsOfADeletedDatasetAreVictims() {
        add("cached", copy().ofDeleted());
        add("filling", copy().ofDeleted().in(State.WARMING));
        add("blocked", copy().ofDeleted().in(State.BLOCKED));
        add("held", copy().ofDeleted().pinned());
        add("leaving", copy().ofDeleted().in(State.EVICTING));

        assertThat(plan(Map.of()).victims())
                .extracting(victim -> victim.version().version(), Victim::reason)
                .containsExactly(
                        tuple("cached", SweepReason.DATASET_DELETED),
                        tuple("filling", SweepReason.DATASET_DELETED),
                        tuple("blocked", SweepReason.DATASET_DELETED));
    }

    /** The catalogue decides by its own clock whether a lease has ended. */
    @Test
    void aVersionPinnedInTheRegionStaysAlthoughTheCatalogueDisagrees() {
        add("deleted", copy().ofDeleted());
        add("expired", copy().unusedFor(20));
        mounted.replaceAll(SweepPlannerTest::pinned);

        assertThat(plan(Map.of()).victims()).isEmpty();
    }

    @Test
    void anOrphanIsAVictimWithItsManifest() {
        Mounted orphan = mounted("lost", copy());
        share(70, "lost");

        SweepPlan plan =
                planner.plan(
                        new SweepSurvey(
                                US,
                                NOON,
                                residents,
                                Optional.of(usage(1_000)),
                                List.of(orphan),
                                Map.of(),
                                List.of(),
                                worth(),
                                List.of()));

        assertThat(plan.victims())
                .extracting(Victim::reason, Victim::bytes, Victim::orphan)
                .containsExactly(tuple(SweepReason.ORPHAN, 70L, orphan.manifest()));
    }

    @Test
    void versionsOfEqualValueAreEvictedLeastRecentlyUsedFirst() {
        add("third", copy().unusedFor(1));
        add("first", copy().unusedFor(3));
        add("held", copy().pinned());
        add("second", copy().unusedFor(9).readAgo(2));

        SweepPlan plan = plan(Map.of("team", 250L, "others", 0L));

        assertThat(plan.victims())
                .extracting(victim -> victim.version().version(), Victim::reason)
                .containsExactly(
                        tuple("first", SweepReason.QUOTA), tuple("second", SweepReason.QUOTA));
        assertThat(plan.victims())
                .allSatisfy(victim -> assertThat(victim.evictableAt()).isNotNull());
        assertThat(plan.notes()).isEmpty();
        assertThat(plan(Map.of("team", 50L)).notes())
                .anyMatch(note -> note.contains("team stays above its quota of 50 bytes"));
    }

    @Test
    void aSweepEvictsTheVersionOfLeastValuePerByteFirst() {
        add("requested", copy().unusedFor(9));
        add("recent", copy().unusedFor(1));
        requests.put(version("requested"), 3.0);

        SweepPlan plan = plan(Map.of("team", 150L));

        assertThat(plan.victims())
                .extracting(victim -> victim.version().version())
                .containsExactly("recent");
        assertThat(plan.victims().getFirst().why()).contains("expected uses of this version: 1.00");
    }

    /** A read in doubt must not make it the first victim. */
    @Test
    void aVersionThatReadsMayKeepIsNotEvictedBeforeOthersForTheQuota() {
        add("maybe-read", copy().unusedFor(20).after(TtlAfter.READ));
        add("forgotten", copy().unusedFor(9));
        requests.put(version("maybe-read"), 1.0);
        unknown.add("worker w2 does not answer");

        assertThat(plan(Map.of("team", 150L)).victims())
                .extracting(victim -> victim.version().version())
                .containsExactly("forgotten");
    }

    /** Its workflow could not notice a use since the sweep. */
    @Test
    void aVersionWithoutTheEndOfItsTimeToLiveIsNoVictim() {
        add("pinned-by-another-clock", copy().pinned());
        residents.replaceAll(SweepPlannerTest::withoutPin);
        mounted.replaceAll(SweepPlannerTest::withoutPin);

        assertThat(plan(Map.of("team", 50L)).victims()).isEmpty();
    }

    @Test
    void aVersionSharedWithAnotherNamespaceIsEvictedForTheQuota() {
        add("shared", copy().unusedFor(3).bytes(0));
        add("young", copy().unusedFor(1));
        DatasetVersion others = DatasetVersion.of("others", "digits", "v1");
        mounted.add(new Mounted(others, manifest(100), false, false, null));
        shares.add(new Share(100, List.of(0, 2)));

        assertThat(plan(Map.of("team", 100L)).victims())
                .extracting(Victim::version, Victim::reason, Victim::bytes)
                .containsExactly(tuple(version("shared"), SweepReason.QUOTA, 0L));
    }

    @Test
    void anExpiredVictimCountsTowardsTheQuota() {
        add("old", copy().unusedFor(10));
        add("young", copy().unusedFor(1));

        assertThat(plan(Map.of("team", 100L)).victims())
                .extracting(Victim::reason)
                .containsExactly(SweepReason.EXPIRED);
    }

    @Test
    void aSweepAboveTheHighWatermarkEvictsDownToTheLowWatermark() {
        for (int hours = 1; hours <= 9; hours++) {
            add("v" + hours, copy().unusedFor(hours));
        }

        // 900 of 1,000 bytes do not exceed the high watermark, 900 of 990 do.
        assertThat(plan(1_000, Map.of()).victims()).isEmpty();
        SweepPlan plan = plan(990, Map.of());

        assertThat(plan.victims())
                .extracting(victim -> victim.version().version(), Victim::reason)
                .containsExactly(
                        tuple("v9", SweepReason.WATERMARK),
                        tuple("v8", SweepReason.WATERMARK),
                        tuple("v7", SweepReason.WATERMARK),
                        tuple("v6", SweepReason.WATERMARK),
                        tuple("v5", SweepReason.WATERMARK));
        assertThat(plan.victims().getFirst().why()).contains("90.9 % full", "90.0 %");
    }

    @Test
    void aRunningEvictionCountsAsFreedSpace() {
        for (int hours = 1; hours <= 8; hours++) {
            add("v" + hours, copy().unusedFor(hours));
        }
        add("leaving", copy().in(State.EVICTING));

        assertThat(plan(990, Map.of()).victims()).isEmpty();
    }

    /**
     * Adds one version that shares all its chunks with a pinned one, and two that free bytes only
     * together.
     */
    private void addSharers() {
        add("held", copy().pinned().bytes(0));
        add("shares-all", copy().unusedFor(9).bytes(0));
        add("one", copy().unusedFor(8).bytes(0));
        add("other", copy().unusedFor(7).bytes(10));
        share(500, "held", "shares-all");
        share(450, "one", "other");
    }

    private static void assertOnlyWhatFreesSomethingGoes(SweepPlan plan) {
        assertThat(plan.victims())
                .extracting(victim -> victim.version().version(), Victim::bytes)
                .containsExactly(tuple("one", 0L), tuple("other", 460L));
        assertThat(plan.notes()).isEmpty();
    }

    @Test
    void aVersionThatSharesAllChunksWithAPinnedOneIsNoWatermarkVictim() {
        addSharers();

        assertOnlyWhatFreesSomethingGoes(plan(1_000, Map.of()));
    }

    @Test
    void aVersionThatSharesAllChunksWithAPinnedOneIsNoQuotaVictim() {
        addSharers();

        assertOnlyWhatFreesSomethingGoes(plan(Map.of("team", 600L)));
        assertThat(plan(Map.of("team", 400L)).notes())
                .anyMatch(note -> note.contains("share chunks with such versions"));
    }

    /** Its chunks were dropped one by one, but it still counts for the quota. */
    @Test
    void aVersionWithoutChunksIsAVictimForTheQuota() {
        add("held", copy().pinned());
        add("empty", copy().unusedFor(9).bytes(0));
        dropped.add("empty");

        assertThat(plan(Map.of("team", 150L)).victims())
                .extracting(victim -> victim.version().version(), Victim::bytes)
                .containsExactly(tuple("empty", 0L));
    }

    @Test
    void thePlanNotesARegionFullOfPinnedVersions() {
        add("held", copy().pinned().bytes(950));
        add("known-to-etcd-only", copy().unusedFor(1).bytes(40));
        mounted.set(1, pinned(mounted.get(1)));

        SweepPlan plan = plan(1_000, Map.of());

        assertThat(plan.victims()).isEmpty();
        assertThat(plan.notes()).anyMatch(note -> note.contains("stays above its low watermark"));
    }

    @Test
    void aRegionWithUnknownUsageHasNoWatermarkVictims() {
        add("young", copy().unusedFor(1).bytes(1_000));
        unknown.add("worker w2 does not answer");

        SweepPlan plan = plan(1_000, Map.of());

        assertThat(plan.victims()).isEmpty();
        assertThat(plan.notes()).anyMatch(note -> note.contains("worker w2 does not answer"));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1.1, 0.5", "0.5, 0.6", "0.5, 0", "NaN, 0.1", "0.5, NaN"})
    void invalidWatermarksAreRefused(double high, double low) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> new Watermarks(high, low))
                .withMessageContaining("watermark");
    }

    private SweepPlan plan(Map<String, Long> quotas) {
        return plan(1_000_000, quotas);
    }

    private SweepPlan plan(long capacity, Map<String, Long> quotas) {
        return planner.plan(
                new SweepSurvey(
                        US,
                        NOON,
                        residents,
                        Optional.of(usage(capacity)),
                        List.of(),
                        quotas,
                        reserved(),
                        worth(),
                        List.of()));
    }

    private VersionWorth worth() {
        return new VersionWorth(null, requests);
    }

    /** Returns the shares of the stores. Versions without chunks there reserve space, too. */
    private List<SharedBytes.Share> reserved() {
        return Stream.concat(
                        SurveyShares.of(usage(0)).stream(),
                        dropped.stream()
                                .map(name -> new SharedBytes.Share(List.of(version(name)), 100)))
                .toList();
    }

    private UsageReport usage(long capacity) {
        long used = shares.stream().mapToLong(Share::bytes).sum();
        return new UsageReport(
                capacity,
                used,
                0,
                unknown,
                mounted,
                shares,
                Map.of("team", used + 100L * dropped.size()));
    }

    private void share(long bytes, String... owners) {
        List<DatasetVersion> versions = mounted.stream().map(Mounted::version).toList();
        shares.add(
                new Share(
                        bytes,
                        Arrays.stream(owners)
                                .map(name -> versions.indexOf(version(name)))
                                .toList()));
    }

    private static DatasetVersion version(String name) {
        return DatasetVersion.of("team", "digits", name);
    }

    private Mounted mounted(String name, Copy copy) {
        Mounted mount =
                new Mounted(
                        version(name),
                        manifest(copy.bytes),
                        copy.state == State.EVICTING,
                        copy.pinned,
                        copy.readAgo == null ? null : copy.readAgo.toSeconds());
        mounted.add(mount);
        return mount;
    }

    private static Mounted pinned(Mounted mount) {
        return new Mounted(mount.version(), mount.manifest(), false, true, null);
    }

    private static Mounted withoutPin(Mounted mount) {
        return new Mounted(mount.version(), mount.manifest(), false, false, 0L);
    }

    private static Resident withoutPin(Resident resident) {
        return new Resident(
                resident.version(),
                resident.manifest(),
                resident.residency(),
                null,
                resident.ttl(),
                resident.ttlAfter(),
                resident.deletedAt());
    }

    private static ManifestRef manifest(long bytes) {
        return new ManifestRef("s3://f/m", new Digest("a".repeat(64)), 3, bytes, 1);
    }

    private void add(String name, Copy copy) {
        mounted(name, copy);
        if (copy.bytes > 0) {
            share(copy.bytes, name);
        }
        Instant end =
                copy.state == State.CACHED && !copy.pinned
                        ? NOON.minus(copy.unused).plus(TTL)
                        : null;
        residents.add(
                new Resident(
                        version(name),
                        manifest(copy.bytes),
                        new Residency(
                                US, copy.state, copy.bytes, 0, "/mnt", NOON, end, null, 3, null, 0),
                        copy.pinned ? NOON.plus(TTL) : null,
                        TTL,
                        copy.after,
                        copy.deleted ? NOON : null));
    }

    private static Copy copy() {
        return new Copy();
    }

    /** Builds a complete copy of 100 bytes that was used just now, unless a test changes that. */
    private static final class Copy {
        private State state = State.CACHED;
        private Duration unused = Duration.ZERO;
        private @Nullable Duration readAgo;
        private TtlAfter after = TtlAfter.PIN;
        private boolean pinned;
        private boolean deleted;
        private long bytes = 100;

        Copy in(State value) {
            state = value;
            return this;
        }

        Copy unusedFor(int hours) {
            unused = Duration.ofHours(hours);
            return this;
        }

        Copy readAgo(int hours) {
            readAgo = Duration.ofHours(hours);
            return this;
        }

        Copy after(TtlAfter value) {
            after = value;
            return this;
        }

        Copy pinned() {
            pinned = true;
            return this;
        }

        Copy ofDeleted() {
            deleted = true;
            return this;
        }

        Copy bytes(long value) {
            bytes = value;
            return this;
        }
    }
}
