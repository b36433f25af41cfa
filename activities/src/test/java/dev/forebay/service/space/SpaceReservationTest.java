package dev.forebay.service.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.service.space.EvictionCandidate.Kind;
import dev.forebay.service.space.EvictionCandidate.Value;
import dev.forebay.service.space.SharedBytes.Share;
import dev.forebay.service.space.SpaceReservation.Admission;
import dev.forebay.service.space.SpaceReservation.Decision;
import dev.forebay.service.space.SpaceReservation.Limit;
import dev.forebay.workflows.message.Urgency;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** "Admission" and "Quotas" in docs/semantics.md, for a region of 100 bytes. */
class SpaceReservationTest {

    private static final DatasetVersion WANTED = named("wanted");
    private static final Instant LATER = Instant.parse("2026-11-20T13:00:00Z");

    private final List<EvictionCandidate> versions = new ArrayList<>();
    private final List<Share> shares = new ArrayList<>();
    private List<DatasetVersion> queue = List.of(WANTED);
    private Urgency urgency = Urgency.INTERACTIVE;

    /** The numbers are: own, needed and taken bytes, capacity, capacity with absent workers. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "it fits exactly, 40, 40, 60, 100, 100, ADMITTED",
        "it is there already, 500, 0, 500, 100, 500, ADMITTED",
        "it shares all of its chunks, 50, 0, 100, 100, 100, ADMITTED",
        "it is there without workers, 50, 0, 50, 0, 0, ADMITTED",
        "it does not fit, 40, 40, 61, 100, 100, WAITS",
        "it shares too few chunks, 90, 40, 61, 100, 100, WAITS",
        "it fits once workers return, 150, 150, 0, 100, 150, WAITS",
        "it may fit once an unknown worker returns, 150, 150, 0, 100, 9223372036854775807, WAITS",
        "it is larger than the region, 101, 101, 0, 100, 100, REFUSED",
        "it is larger than all workers, 151, 151, 0, 100, 150, REFUSED",
        "there is no worker, 1, 1, 0, 0, 0, WAITS",
    })
    void aVersionIsAdmittedIfItFits(
            String which,
            long own,
            long needed,
            long taken,
            long capacity,
            long known,
            Admission admission) {
        Decision decision = decide(own, new Limit(capacity, known, taken, needed), null);

        assertThat(decision.admission()).isEqualTo(admission);
        assertThat(decision.victims()).isEmpty();
        assertThat(decision.problem() == null).isEqualTo(admission == Admission.ADMITTED);
        if (admission == Admission.REFUSED) {
            assertThat(code(decision)).isEqualTo(ErrorCode.TOO_LARGE);
        }
    }

    @Test
    void theSpaceOfOtherVersionsIsReadOnlyIfSpaceIsShort() {
        for (Limit stores : List.of(new Limit(100, 100, 60, 40), new Limit(100, 200, 0, 150))) {
            Decision decision =
                    reservation(stores.neededBytes(), stores, null)
                            .decide(
                                    () -> {
                                        throw new AssertionError("it is not necessary");
                                    });
            assertThat(decision.victims()).isEmpty();
        }
    }

    @Test
    void aVersionThatNeedsAbsentWorkersLetsOthersPass() {
        Decision away = decide(150, new Limit(100, 150, 0, 150), null);
        Decision unknown = decide(150, new Limit(100, Long.MAX_VALUE, 0, 150), null);

        assertThat(away.steppedAside()).isTrue();
        assertThat(why(away)).contains("are missing");
        assertThat(unknown.steppedAside()).isTrue();
        assertThat(why(unknown)).contains("upgrade the agent");
    }

    @Test
    void aRegionWithoutWorkersIsUnavailable() {
        assertThat(code(decide(1, new Limit(0, 0, 0, 1), null))).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void unpinnedVersionsMakeSpace() {
        add("free", 50, Kind.FREE);
        add("held", 50, Kind.HELD);

        Decision decision = decide(30, new Limit(100, 100, 100, 30), null);

        assertThat(decision.admission()).isEqualTo(Admission.AFTER_EVICTION);
        assertThat(names(decision)).containsExactly("free");
        assertThat(code(decision)).isEqualTo(ErrorCode.CAPACITY_EXCEEDED);
        assertThat(why(decision))
                .contains("first in the queue", "100 of 100 are in use", "1 unpinned");
        assertThat(decision.steppedAside()).isFalse();
    }

    @Test
    void aRunningEvictionMakesSpaceWithoutVictims() {
        add("leaving", 30, Kind.LEAVING);
        add("free", 70, Kind.FREE);

        Decision decision = decide(30, new Limit(100, 100, 100, 30), null);

        assertThat(decision.admission()).isEqualTo(Admission.AFTER_EVICTION);
        assertThat(decision.victims()).isEmpty();
        assertThat(why(decision)).endsWith("running evictions free enough");
    }

    @Test
    void aVersionWaitsIfTooLittleIsUnpinned() {
        add("held", 50, Kind.HELD);
        add("busy", 40, Kind.BUSY);
        add("free", 10, Kind.FREE);

        Decision decision = decide(50, new Limit(100, 100, 100, 50), null);

        assertThat(decision.admission()).isEqualTo(Admission.WAITS);
        assertThat(decision.victims()).isEmpty();
        assertThat(why(decision)).contains("free only 10", "1 versions are pinned and 1 are");
        assertThat(decision.notBefore()).isEqualTo(LATER);
    }

    @Test
    void aVersionThatWaitsOnlyForFillsHasNoTime() {
        add("busy", 100, Kind.BUSY);

        assertThat(decide(50, new Limit(100, 100, 100, 50), null).notBefore()).isNull();
    }

    @Test
    void aSpeculativeVersionEvictsExpiredOnesOnly() {
        urgency = Urgency.SPECULATIVE;
        add("fresh", 50, Kind.FREE);
        versions.add(
                new EvictionCandidate(
                        named("expired"), Kind.FREE, 20, Value.UNKNOWN, true, null, null));
        shares.add(new Share(List.of(named("expired")), 20));

        assertThat(names(decide(20, new Limit(100, 100, 100, 20), null)))
                .containsExactly("expired");
        assertThat(decide(21, new Limit(100, 100, 100, 21), null).admission())
                .isEqualTo(Admission.WAITS);
    }

    @Test
    void aVersionBehindOthersWaitsAndEvictsNothingEvenIfItFits() {
        queue = List.of(named("before"), WANTED, named("after"));
        add("free", 50, Kind.FREE);

        for (long taken : List.of(0L, 100L)) {
            Decision decision = decide(30, new Limit(100, 100, taken, 30), null);

            assertThat(decision.admission()).isEqualTo(Admission.WAITS);
            assertThat(decision.victims()).isEmpty();
            assertThat(decision.steppedAside()).isFalse();
            assertThat(why(decision)).contains("number 2 of 3", "behind team/before@v1");
        }
        assertThat(decide(30, new Limit(100, 100, 100, 0), null).admission())
                .as("needs no space")
                .isEqualTo(Admission.ADMITTED);
    }

    @Test
    void aVersionLargerThanItsQuotaIsRefusedDespiteFreeSpace() {
        Decision decision = decide(30, new Limit(100, 100, 0, 30), quota(29, 0, 30));

        assertThat(decision.admission()).isEqualTo(Admission.REFUSED);
        assertThat(why(decision)).contains("the quota of namespace team in us-1");
    }

    @Test
    void onlyVersionsOfItsNamespaceMakeSpaceForItsQuota() {
        add("own", 20, Kind.FREE);
        addTo("others", "a", 50, Kind.FREE);

        Decision enough = decide(30, new Limit(100, 100, 70, 30), quota(40, 20, 30));
        Decision tooLittle = decide(30, new Limit(100, 100, 70, 30), quota(40, 40, 30));

        assertThat(names(enough)).containsExactly("own");
        assertThat(enough.steppedAside()).isTrue();
        assertThat(why(enough)).contains("namespace team uses 20 of the 40 bytes", "forebay quota");
        assertThat(tooLittle.admission()).isEqualTo(Admission.WAITS);
        assertThat(tooLittle.victims()).isEmpty();
        assertThat(tooLittle.steppedAside()).isTrue();
    }

    @Test
    void chunksSharedWithAnotherNamespaceCountForTheQuotaButFreeNoSpace() {
        versions.add(free("team", "own"));
        shares.add(new Share(List.of(named("own"), named("others", "a")), 20));

        assertThat(names(decide(20, new Limit(100, 100, 20, 20), quota(30, 20, 20))))
                .containsExactly("own");
        assertThat(decide(90, new Limit(100, 100, 20, 90), quota(90, 20, 90)).admission())
                .isEqualTo(Admission.WAITS);
    }

    @Test
    void victimsForTheQuotaMakeSpaceInTheStores() {
        add("own", 20, Kind.FREE);
        addTo("others", "a", 80, Kind.FREE);

        assertThat(names(decide(20, new Limit(100, 100, 100, 20), quota(30, 20, 20))))
                .containsExactly("own");
        assertThat(names(decide(30, new Limit(100, 100, 100, 30), quota(30, 20, 30))))
                .containsExactly("own", "a");
    }

    @Test
    void aVersionAboveItsQuotaEvictsNothingUntilItIsItsTurn() {
        queue = List.of(named("before"), WANTED);
        add("own", 20, Kind.FREE);

        Decision decision = decide(20, new Limit(100, 100, 20, 20), quota(30, 20, 20));

        assertThat(decision.admission()).isEqualTo(Admission.WAITS);
        assertThat(decision.victims()).isEmpty();
        assertThat(decision.steppedAside()).as("delays no other").isTrue();
    }

    @Test
    void aVersionWithAllChunksThereStillNeedsItsQuota() {
        add("own", 20, Kind.FREE);

        assertThat(names(decide(20, new Limit(100, 100, 100, 0), quota(30, 20, 20))))
                .containsExactly("own");
        assertThat(decide(20, new Limit(100, 100, 100, 0), quota(40, 20, 20)).admission())
                .isEqualTo(Admission.ADMITTED);
        assertThat(decide(20, new Limit(100, 100, 100, 0), quota(10, 20, 0)).admission())
                .as("it counts already")
                .isEqualTo(Admission.ADMITTED);
    }

    private static Limit quota(long bytes, long taken, long needed) {
        return new Limit(bytes, bytes, taken, needed);
    }

    private SpaceReservation reservation(long own, Limit stores, @Nullable Limit quota) {
        return new SpaceReservation(
                WANTED, new RegionName("us-1"), urgency, own, stores, quota, queue);
    }

    private Decision decide(long own, Limit stores, @Nullable Limit quota) {
        return reservation(own, stores, quota).decide(() -> new UsedSpace(versions, shares));
    }

    private void add(String name, long bytes, Kind kind) {
        addTo("team", name, bytes, kind);
    }

    private void addTo(String namespace, String name, long bytes, Kind kind) {
        DatasetVersion version = named(namespace, name);
        versions.add(
                new EvictionCandidate(
                        version,
                        kind,
                        bytes,
                        Value.UNKNOWN,
                        false,
                        null,
                        kind == Kind.HELD ? LATER : null));
        shares.add(new Share(List.of(version), bytes));
    }

    private static EvictionCandidate free(String namespace, String name) {
        return EvictionCandidate.unrated(named(namespace, name), Kind.FREE);
    }

    private static DatasetVersion named(String name) {
        return named("team", name);
    }

    private static DatasetVersion named(String namespace, String name) {
        return DatasetVersion.of(namespace, name, "v1");
    }

    private static List<String> names(Decision decision) {
        return decision.victims().stream().map(each -> each.version().dataset().name()).toList();
    }

    private static ErrorCode code(Decision decision) {
        return Objects.requireNonNull(decision.problem()).code();
    }

    private static String why(Decision decision) {
        return Objects.requireNonNull(decision.problem()).message();
    }
}
