package dev.forebay.control.planning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.control.eviction.EvictionCandidate;
import dev.forebay.control.eviction.EvictionCandidate.Kind;
import dev.forebay.control.eviction.SharedBytes;
import dev.forebay.control.planning.FillPlan.Admission;
import dev.forebay.control.planning.FillPlan.Room;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AdmissionRulesTest {

    private static final DatasetVersion WANTED = DatasetVersion.parse("team/wanted@v1");
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final Instant LATER = NOON.plusSeconds(3600);
    private static final long CAPACITY = 100;
    private static final List<Kind> KINDS = List.of(Kind.values());

    @Test
    void aVersionThatFitsIsAdmittedWithoutEvictions() {
        Room room = decide(40, 60, occupant("a", 60, Kind.FREE, 0));

        assertThat(room.admission()).isEqualTo(Admission.ADMITTED);
        assertThat(room.victims()).isEmpty();
        assertThat(room.problem()).isNull();
    }

    @Test
    void aPresentVersionIsAdmittedToAFullRegion() {
        Room room =
                new AdmissionRules(WANTED, "us-1", 500, 0, 500, CAPACITY, CAPACITY)
                        .decide(List.of(), List.of(), NOON);

        assertThat(room.admission()).isEqualTo(Admission.ADMITTED);
    }

    @Test
    void aVersionThatFitsOnceWorkersReturnWaits() {
        Room room =
                new AdmissionRules(WANTED, "us-1", 150, 150, 0, CAPACITY, 150)
                        .decide(List.of(), List.of(), NOON);

        assertThat(room.admission()).isEqualTo(Admission.WAITS);
        assertThat(room.problem()).extracting("message").asString().contains("away");
        assertThat(
                        new AdmissionRules(WANTED, "us-1", 151, 151, 0, CAPACITY, 150)
                                .decide(List.of(), List.of(), NOON)
                                .admission())
                .isEqualTo(Admission.REFUSED);
    }

    @Test
    void aVersionLargerThanTheRegionIsRefused() {
        Room room = decide(101, 0);

        assertThat(room.admission()).isEqualTo(Admission.REFUSED);
        assertThat(room.problem()).extracting("code").isEqualTo(ErrorCode.TOO_LARGE);
    }

    @Test
    void onlyNecessaryVersionsOfLeastValueAreVictims() {
        Room room =
                decide(
                        30,
                        100,
                        occupant("dear", 40, Kind.FREE, 9),
                        occupant("cheap", 10, Kind.FREE, 1),
                        occupant("middling", 50, Kind.FREE, 5));

        assertThat(room.admission()).isEqualTo(Admission.AFTER_EVICTION);
        // The cheap one comes first in eviction order, but with the next one it is not necessary.
        assertThat(names(room)).containsExactly("team/middling@v1");
    }

    @Test
    void anExpiredVersionIsEvictedBeforeAWorthlessOne() {
        Room room =
                decide(
                        10,
                        100,
                        occupant("worthless", 50, Kind.FREE, 0, LATER, null),
                        occupant("expired", 50, Kind.FREE, 99, NOON.minusSeconds(1), null));

        assertThat(names(room)).containsExactly("team/expired@v1");
    }

    @Test
    void aPinnedOrFillingVersionIsNeverAVictim() {
        Room room =
                decide(
                        50,
                        100,
                        occupant("held", 50, Kind.HELD, 0, null, LATER),
                        occupant("busy", 40, Kind.BUSY, 0),
                        occupant("free", 10, Kind.FREE, 0));

        assertThat(room.admission()).isEqualTo(Admission.WAITS);
        assertThat(room.victims()).isEmpty();
        assertThat(room.problem()).extracting("code").isEqualTo(ErrorCode.CAPACITY_EXCEEDED);
        assertThat(room.notBefore()).isEqualTo(LATER);
    }

    @Test
    void aForecastThatWaitsOnlyForFillsHasNoTime() {
        assertThat(decide(50, 100, occupant("busy", 100, Kind.BUSY, 0)).notBefore()).isNull();
    }

    @Test
    void aRunningEvictionFreesSpaceWithoutFurtherVictims() {
        Room room =
                decide(
                        30,
                        100,
                        occupant("leaving", 30, Kind.LEAVING, 0),
                        occupant("free", 70, Kind.FREE, 0));

        assertThat(room.admission()).isEqualTo(Admission.AFTER_EVICTION);
        assertThat(room.victims()).isEmpty();
        assertThat(Objects.requireNonNull(room.problem()).message())
                .endsWith("those that are being evicted make that room")
                .doesNotContain("0 versions");
    }

    @Test
    void aSparedVersionCanBeEvictedOnceItExpires() {
        EvictionCandidate fresh = occupant("fresh", 1, Kind.FREE, 0);
        EvictionCandidate expired =
                occupant("expired", 1, Kind.FREE, 9, NOON.minusSeconds(1), null);
        EvictionCandidate held = occupant("held", 1, Kind.HELD, 0);

        assertThat(fresh.sparedUntilExpired(NOON).kind()).isEqualTo(Kind.BUSY);
        assertThat(expired.sparedUntilExpired(NOON)).isEqualTo(expired);
        assertThat(held.sparedUntilExpired(NOON)).isEqualTo(held);
    }

    @Test
    void victimsWithoutSharedChunksAreSufficientAndMinimal() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            EvictionCandidate[] others = new EvictionCandidate[random.nextInt(8)];
            long taken = 0;
            for (int i = 0; i < others.length; i++) {
                Kind kind = KINDS.get(random.nextInt(KINDS.size()));
                others[i] = occupant("o" + i, random.nextInt(30), kind, random.nextInt(3));
                taken += others[i].roomBytes();
            }
            long needed = random.nextLong(1, CAPACITY + 1);

            Room room = decide(needed, taken, others);

            long leaving =
                    List.of(others).stream()
                            .filter(each -> each.kind() == Kind.LEAVING)
                            .mapToLong(EvictionCandidate::roomBytes)
                            .sum();
            long made = room.victims().stream().mapToLong(FillPlan.Victim::roomBytes).sum();
            long lack = taken + needed - CAPACITY - leaving;
            if (room.admission() == Admission.AFTER_EVICTION) {
                assertThat(made).as("seed %d round %d", seed, round).isGreaterThanOrEqualTo(lack);
                room.victims()
                        .forEach(
                                victim ->
                                        assertThat(made - victim.roomBytes())
                                                .as("seed %d", seed)
                                                .isLessThan(Math.max(1, lack)));
            } else {
                assertThat(room.victims()).isEmpty();
            }
            List<String> free =
                    List.of(others).stream()
                            .filter(each -> each.kind() == Kind.FREE)
                            .map(each -> each.version().toString())
                            .toList();
            assertThat(free).as("seed %d", seed).containsAll(names(room));
        }
    }

    /** a, b and c share 40 bytes and have 5 each alone. The version named alone has 30. */
    private static List<SharedBytes.Share> family() {
        return List.of(
                share(40, named("a"), named("b"), named("c")),
                share(5, named("a")),
                share(5, named("b")),
                share(5, named("c")),
                share(30, named("alone")));
    }

    private static EvictionCandidate[] familyAnd(EvictionCandidate alone) {
        return new EvictionCandidate[] {
            occupant("a", 45, Kind.FREE, 0),
            occupant("b", 45, Kind.FREE, 0),
            occupant("c", 45, Kind.FREE, 0),
            alone
        };
    }

    @Test
    void aSingleVersionIsEvictedInsteadOfAGroupThatSharesChunks() {
        Room room = decide(35, 85, family(), familyAnd(occupant("alone", 30, Kind.FREE, 0)));

        assertThat(names(room)).containsExactly("team/alone@v1");
        assertThat(room.victims()).extracting("roomBytes").containsExactly(30L);
    }

    @Test
    void aGroupThatSharesChunksCountsTheSumOfItsValues() {
        Room room =
                decide(
                        35,
                        85,
                        family(),
                        occupant("a", 45, Kind.FREE, 1),
                        occupant("b", 45, Kind.FREE, 1),
                        occupant("c", 45, Kind.FREE, 1),
                        occupant("alone", 30, Kind.FREE, 2));

        assertThat(names(room)).containsExactly("team/alone@v1");
    }

    @Test
    void aGroupIsEvictedIfTheSingleVersionIsPinnedOrWorthMore() {
        Room held = decide(35, 85, family(), familyAnd(occupant("alone", 30, Kind.HELD, 0)));
        Room dear = decide(35, 85, family(), familyAnd(occupant("alone", 30, Kind.FREE, 9)));

        assertThat(names(held)).containsExactly("team/a@v1", "team/b@v1", "team/c@v1");
        assertThat(held.victims()).extracting("roomBytes").containsExactly(5L, 5L, 45L);
        assertThat(names(dear)).isEqualTo(names(held));
    }

    @Test
    void anExpiredGroupIsEvictedBeforeAnUnexpiredVersion() {
        EvictionCandidate[] others = familyAnd(occupant("alone", 30, Kind.FREE, 0));
        for (int i = 0; i < 3; i++) {
            others[i] = occupant("abc".substring(i, i + 1), 45, Kind.FREE, 9, NOON, null);
        }

        Room room =
                new AdmissionRules(WANTED, "us-1", 35, 35, 85, CAPACITY, CAPACITY)
                        .decide(List.of(others), family(), LATER.minusSeconds(1));

        assertThat(names(room)).doesNotContain("team/alone@v1").hasSize(3);
    }

    @Test
    void chunksSharedWithAPinnedVersionFreeNoSpace() {
        Room room =
                decide(
                        35,
                        85,
                        family(),
                        occupant("a", 45, Kind.FREE, 0),
                        occupant("b", 45, Kind.FREE, 0),
                        occupant("c", 45, Kind.HELD, 0, null, LATER),
                        occupant("alone", 30, Kind.BUSY, 0));

        assertThat(room.admission()).isEqualTo(Admission.WAITS);
        assertThat(room.problem()).extracting("message").asString().contains("only 10 are");
        // When c's pin ends, the whole family can be evicted.
        assertThat(room.notBefore()).isEqualTo(LATER);
    }

    @Test
    void chunksSharedWithTheWantedVersionFreeNoSpace() {
        List<SharedBytes.Share> shares =
                List.of(
                        share(60, named("a"), WANTED),
                        share(20, named("a")),
                        share(20, named("b")));
        EvictionCandidate a = occupant("a", 80, Kind.FREE, 0);
        EvictionCandidate b = occupant("b", 20, Kind.FREE, 9);

        assertThat(names(decide(21, 100, shares, a, b))).containsExactly("team/b@v1", "team/a@v1");
        assertThat(decide(41, 100, shares, a, b).admission()).isEqualTo(Admission.WAITS);
    }

    @Test
    void theVersionThatSharesMostWithTheWantedOneStays() {
        List<SharedBytes.Share> shares =
                List.of(
                        share(60, named("before"), WANTED),
                        share(20, named("before")),
                        share(20, named("dear")));
        EvictionCandidate before = occupant("before", 80, Kind.FREE, 0, NOON.minusSeconds(1), null);
        EvictionCandidate dear = occupant("dear", 20, Kind.FREE, 9);

        assertThat(names(decide(20, 100, shares, before, dear))).containsExactly("team/dear@v1");
        // Unless a pinned version shares as much.
        assertThat(
                        names(
                                decide(
                                        20,
                                        100,
                                        List.of(
                                                share(60, named("before"), named("held"), WANTED),
                                                share(1, named("held"), WANTED),
                                                share(20, named("before")),
                                                share(19, named("dear"))),
                                        before,
                                        occupant("held", 61, Kind.HELD, 0),
                                        dear)))
                .containsExactly("team/before@v1");
    }

    @Test
    void victimsWithRandomlySharedChunksAreSufficientAndMinimal() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 3_000; round++) {
            String in = "seed %d round %d".formatted(seed, round);
            EvictionCandidate[] others = new EvictionCandidate[1 + random.nextInt(7)];
            for (int i = 0; i < others.length; i++) {
                Kind kind = random.nextInt(3) > 0 ? Kind.FREE : KINDS.get(random.nextInt(4));
                others[i] = occupant("o" + i, 10, kind, random.nextInt(3));
            }
            List<SharedBytes.Share> shares = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                List<DatasetVersion> owners =
                        Stream.concat(
                                        Stream.of(others).map(EvictionCandidate::version),
                                        Stream.of(WANTED))
                                .filter(each -> random.nextInt(3) == 0)
                                .toList();
                if (!owners.isEmpty() && !owners.equals(List.of(WANTED))) {
                    shares.add(new SharedBytes.Share(owners, random.nextInt(12)));
                }
            }
            long taken = shares.stream().mapToLong(SharedBytes.Share::bytes).sum();
            long needed = random.nextLong(1, CAPACITY + 1);

            Room room = decide(needed, taken, shares, others);

            long lack = taken + needed - CAPACITY;
            List<DatasetVersion> gone = of(Kind.LEAVING, others);
            if (room.admission() == Admission.WAITS) {
                gone.addAll(of(Kind.FREE, others));
                assertThat(back(shares, gone)).as(in).isLessThan(lack);
                continue;
            }
            List<DatasetVersion> victims =
                    room.victims().stream().map(FillPlan.Victim::version).toList();
            long leaving = back(shares, gone);
            gone.addAll(victims);
            assertThat(back(shares, gone)).as(in).isGreaterThanOrEqualTo(lack);
            assertThat(room.victims().stream().mapToLong(FillPlan.Victim::roomBytes).sum())
                    .as(in)
                    .isEqualTo(back(shares, gone) - leaving);
            assertThat(of(Kind.FREE, others)).as(in).containsAll(victims);
            for (DatasetVersion victim : victims) {
                List<DatasetVersion> fewer = new ArrayList<>(gone);
                fewer.remove(victim);
                assertThat(back(shares, fewer)).as(in).isLessThan(lack);
            }
        }
    }

    private static List<DatasetVersion> of(Kind kind, EvictionCandidate... others) {
        List<DatasetVersion> versions = new ArrayList<>();
        Stream.of(others)
                .filter(each -> each.kind() == kind)
                .forEach(each -> versions.add(each.version()));
        return versions;
    }

    /** Returns the bytes of shares whose owners are all gone. */
    private static long back(List<SharedBytes.Share> shares, List<DatasetVersion> gone) {
        return shares.stream()
                .filter(share -> gone.containsAll(share.owners()))
                .mapToLong(SharedBytes.Share::bytes)
                .sum();
    }

    private static List<String> names(Room room) {
        return room.victims().stream().map(each -> each.version().toString()).toList();
    }

    private static Room decide(long needed, long taken, EvictionCandidate... others) {
        return decide(
                needed,
                taken,
                Stream.of(others).map(each -> share(each.roomBytes(), each.version())).toList(),
                others);
    }

    private static Room decide(
            long needed, long taken, List<SharedBytes.Share> shares, EvictionCandidate... others) {
        return new AdmissionRules(WANTED, "us-1", needed, needed, taken, CAPACITY, CAPACITY)
                .decide(List.of(others), shares, NOON);
    }

    private static SharedBytes.Share share(long bytes, DatasetVersion... owners) {
        return new SharedBytes.Share(List.of(owners), bytes);
    }

    private static DatasetVersion named(String name) {
        return DatasetVersion.parse("team/" + name + "@v1");
    }

    private static EvictionCandidate occupant(String name, long room, Kind kind, double worth) {
        return occupant(name, room, kind, worth, LATER, null);
    }

    private static EvictionCandidate occupant(
            String name,
            long room,
            Kind kind,
            double worth,
            @Nullable Instant evictableAt,
            @Nullable Instant heldUntil) {
        return new EvictionCandidate(
                named(name), room, kind, worth, null, worth, evictableAt, heldUntil);
    }
}
