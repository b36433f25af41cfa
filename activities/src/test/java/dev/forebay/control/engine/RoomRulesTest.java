package dev.forebay.control.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.control.engine.Occupant.Kind;
import dev.forebay.control.engine.Plan.Admission;
import dev.forebay.control.engine.Plan.Room;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RoomRulesTest {

    private static final RegionName US = new RegionName("us-1");
    private static final DatasetVersion WANTED = DatasetVersion.parse("team/wanted@v1");
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final Instant LATER = NOON.plusSeconds(3600);
    private static final long CAPACITY = 100;
    private static final List<Kind> KINDS = List.of(Kind.values());

    @Test
    void whatFitsIsAdmittedAndNobodyGoes() {
        Room room = decide(40, 60, occupant("a", 60, Kind.FREE, 0));

        assertThat(room.admission()).isEqualTo(Admission.ADMITTED);
        assertThat(room.victims()).isEmpty();
        assertThat(room.problem()).isNull();
    }

    @Test
    void whatIsThereNeedsNoRoomEvenIfTheRegionIsFull() {
        Room room = new RoomRules(WANTED, US, 500, 0, 500, CAPACITY).decide(List.of(), NOON);

        assertThat(room.admission()).isEqualTo(Admission.ADMITTED);
    }

    @Test
    void whatIsLargerThanTheRegionIsRefusedThoughNobodyIsThere() {
        Room room = decide(101, 0);

        assertThat(room.admission()).isEqualTo(Admission.REFUSED);
        assertThat(room.problem()).extracting("code").isEqualTo(ErrorCode.TOO_LARGE);
    }

    @Test
    void whoIsWorthLeastGoesFirstAndNobodyWhoNeedNot() {
        Room room =
                decide(
                        30,
                        100,
                        occupant("dear", 40, Kind.FREE, 9),
                        occupant("cheap", 10, Kind.FREE, 1),
                        occupant("middling", 50, Kind.FREE, 5));

        assertThat(room.admission()).isEqualTo(Admission.AFTER_EVICTION);
        // The cheap one would go first, but with the next one it is not needed.
        assertThat(names(room)).containsExactly("team/middling@v1");
    }

    @Test
    void whoseTimeHasPassedGoesBeforeWhoIsWorthNothing() {
        Room room =
                decide(
                        10,
                        100,
                        occupant("worthless", 50, Kind.FREE, 0, LATER, null),
                        occupant("expired", 50, Kind.FREE, 99, NOON.minusSeconds(1), null));

        assertThat(names(room)).containsExactly("team/expired@v1");
    }

    @Test
    void whatSomebodyHoldsOrFillsIsNeverAVictim() {
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
    void whoWaitsForFillingsOnlyIsNotToldATime() {
        assertThat(decide(50, 100, occupant("busy", 100, Kind.BUSY, 0)).notBefore()).isNull();
    }

    @Test
    void whatIsLeavingMakesRoomByItself() {
        Room room =
                decide(
                        30,
                        100,
                        occupant("leaving", 30, Kind.LEAVING, 0),
                        occupant("free", 70, Kind.FREE, 0));

        assertThat(room.admission()).isEqualTo(Admission.AFTER_EVICTION);
        assertThat(room.victims()).isEmpty();
    }

    @Test
    void aRegionWithoutWorkersIsNotSaidToBeTooSmall() {
        Room room = new RoomRules(WANTED, US, 5, 5, 0, 0).decide(List.of(), NOON);

        assertThat(room.admission()).isEqualTo(Admission.WAITS);
        assertThat(room.problem()).extracting("code").isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void victimsAreAlwaysEnoughFreeAndNotOneTooMany() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            Occupant[] others = new Occupant[random.nextInt(8)];
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
                            .mapToLong(Occupant::roomBytes)
                            .sum();
            long made = room.victims().stream().mapToLong(Plan.Victim::roomBytes).sum();
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

    private static List<String> names(Room room) {
        return room.victims().stream().map(each -> each.version().toString()).toList();
    }

    private static Room decide(long needed, long taken, Occupant... others) {
        return new RoomRules(WANTED, US, needed, needed, taken, CAPACITY)
                .decide(List.of(others), NOON);
    }

    private static Occupant occupant(String name, long room, Kind kind, double worth) {
        return occupant(name, room, kind, worth, LATER, null);
    }

    private static Occupant occupant(
            String name,
            long room,
            Kind kind,
            double worth,
            @Nullable Instant evictableAt,
            @Nullable Instant heldUntil) {
        return new Occupant(
                DatasetVersion.parse("team/" + name + "@v1"),
                room,
                kind,
                worth,
                null,
                worth,
                evictableAt,
                heldUntil);
    }
}
