package dev.forebay.service.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.service.space.EvictionCandidate.Kind;
import dev.forebay.service.space.EvictionCandidate.Value;
import dev.forebay.service.space.SharedBytes.Share;
import dev.forebay.service.space.VictimSelection.Selection;
import dev.forebay.service.space.VictimSelection.Victim;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** "Which versions are evicted for space" in docs/semantics.md. */
class VictimSelectionTest {

    private static final DatasetVersion WANTED = DatasetVersion.parse("team/wanted@v1");
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final List<Kind> KINDS = List.of(Kind.values());

    @ParameterizedTest(name = "{0} bytes")
    @CsvSource({
        "0, '', 0",
        "-5, '', 0",
        "1, cheap, 0",
        "10, cheap, 0",
        // The cheap one comes first in eviction order, but with the next one it is not necessary.
        "30, middling, 0",
        "60, cheap middling, 0",
        // The dear one makes the middling one necessary, and the cheap one not.
        "90, middling dear, 0",
        "100, cheap middling dear, 0",
        "130, cheap middling dear, 30",
    })
    void onlyNecessaryVersionsOfLeastValueAreVictims(long bytes, String victims, long missing) {
        Selection selection =
                select(
                        bytes,
                        candidate("dear", 40, Kind.FREE, 9),
                        candidate("cheap", 10, Kind.FREE, 1),
                        candidate("middling", 50, Kind.FREE, 5));

        assertThat(String.join(" ", names(selection))).isEqualTo(victims);
        assertThat(selection.shortBytes()).isEqualTo(missing);
    }

    @ParameterizedTest
    @CsvSource({"HELD", "BUSY", "LEAVING"})
    void onlyFreeVersionsAreVictims(Kind kind) {
        Selection selection =
                select(
                        50,
                        candidate("other", 50, kind, 0),
                        candidate("free", 10, Kind.FREE, 9),
                        expired("expired", 20));

        assertThat(names(selection)).isSubsetOf("free", "expired");
        assertThat(selection.shortBytes()).isEqualTo(kind == Kind.LEAVING ? 0 : 20);
    }

    @Test
    void anExpiredVersionIsEvictedBeforeAWorthlessOne() {
        assertThat(
                        names(
                                select(
                                        10,
                                        candidate("worthless", 50, Kind.FREE, 0),
                                        expired("expired", 50))))
                .containsExactly("expired");
    }

    @Test
    void aSmallVersionOfEqualTotalValueIsWorthMorePerByte() {
        EvictionCandidate small =
                new EvictionCandidate(
                        named("small"), Kind.FREE, 10, new Value(1, null, 100), false, null, null);
        EvictionCandidate large =
                new EvictionCandidate(
                        named("large"), Kind.FREE, 20, new Value(1, null, 100), false, null, null);

        assertThat(names(select(10, small, large))).containsExactly("large");
    }

    @Test
    void versionsOfEqualValueAreEvictedInTheOrderOfTheirTimeToLive() {
        EvictionCandidate later = endsAt("a", NOON.plusSeconds(2));
        EvictionCandidate sooner = endsAt("b", NOON.plusSeconds(1));

        assertThat(names(select(20, endsAt("c", null), later, sooner))).containsExactly("b", "a");
    }

    private static EvictionCandidate endsAt(String name, @Nullable Instant end) {
        return new EvictionCandidate(named(name), Kind.FREE, 10, Value.UNKNOWN, false, end, null);
    }

    @Test
    void aRunningEvictionFreesSpaceWithoutFurtherVictims() {
        VictimSelection selection =
                new VictimSelection(
                        taken(
                                candidate("leaving", 30, Kind.LEAVING, 0),
                                candidate("free", 70, Kind.FREE, 0)),
                        WANTED);

        assertThat(selection.leavingBytes()).isEqualTo(30);
        assertThat(selection.select(30).victims()).isEmpty();
        assertThat(selection.select(31).victims()).extracting(Victim::bytes).containsExactly(70L);
        assertThat(selection.select(101).shortBytes()).isEqualTo(1);
    }

    @Test
    void victimsWithoutSharedChunksAreSufficientAndMinimal() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            String in = "seed %d round %d".formatted(seed, round);
            List<EvictionCandidate> others = new ArrayList<>();
            for (int i = random.nextInt(8); i > 0; i--) {
                Kind kind = KINDS.get(random.nextInt(KINDS.size()));
                others.add(candidate("o" + i, random.nextInt(30), kind, random.nextInt(3)));
            }
            assertIsSufficientAndMinimal(in, taken(others), random.nextLong(150));
        }
    }

    @Test
    void victimsWithRandomlySharedChunksAreSufficientAndMinimal() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 3_000; round++) {
            String in = "seed %d round %d".formatted(seed, round);
            List<EvictionCandidate> others = new ArrayList<>();
            for (int i = 1 + random.nextInt(7); i > 0; i--) {
                Kind kind = random.nextInt(3) > 0 ? Kind.FREE : KINDS.get(random.nextInt(4));
                others.add(candidate("o" + i, 10, kind, random.nextInt(3)));
            }
            List<Share> shares = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                List<DatasetVersion> owners =
                        Stream.concat(
                                        others.stream().map(EvictionCandidate::version),
                                        Stream.of(WANTED))
                                .filter(each -> random.nextInt(3) == 0)
                                .toList();
                if (!owners.isEmpty()) {
                    shares.add(new Share(owners, random.nextInt(12)));
                }
            }
            assertIsSufficientAndMinimal(
                    in, new UsedSpace(others, shares), random.nextLong(1, 100));
        }
    }

    /**
     * Only free versions are victims. They free what was asked for, or the selection says how much
     * is missing. No victim can be left out. Each frees the bytes that the selection says.
     */
    private static void assertIsSufficientAndMinimal(String in, UsedSpace taken, long bytes) {
        Selection selection = new VictimSelection(taken, WANTED).select(bytes);

        List<DatasetVersion> victims = selection.victims().stream().map(Victim::version).toList();
        assertThat(of(Kind.FREE, taken)).as(in).containsAll(victims);
        assertThat(victims).as(in).doesNotHaveDuplicates();
        List<DatasetVersion> gone = new ArrayList<>(of(Kind.LEAVING, taken));
        List<DatasetVersion> most = new ArrayList<>(gone);
        most.addAll(of(Kind.FREE, taken));
        long missing = Math.max(0, bytes - freed(taken, most));
        assertThat(selection.shortBytes()).as(in).isEqualTo(missing);
        for (Victim victim : selection.victims()) {
            long before = freed(taken, gone);
            gone.add(victim.version());
            assertThat(victim.bytes()).as(in).isEqualTo(freed(taken, gone) - before);
        }
        assertThat(freed(taken, gone)).as(in).isGreaterThanOrEqualTo(bytes - missing);
        for (DatasetVersion victim : victims) {
            List<DatasetVersion> fewer = new ArrayList<>(gone);
            fewer.remove(victim);
            assertThat(freed(taken, fewer)).as(in).isLessThan(bytes - missing);
        }
    }

    private static List<DatasetVersion> of(Kind kind, UsedSpace taken) {
        return taken.versions().stream()
                .filter(each -> each.kind() == kind)
                .map(EvictionCandidate::version)
                .toList();
    }

    /** Returns the bytes of shares whose owners are all gone. */
    private static long freed(UsedSpace taken, List<DatasetVersion> gone) {
        return taken.shares().stream()
                .filter(share -> gone.containsAll(share.owners()))
                .mapToLong(Share::bytes)
                .sum();
    }

    /** a, b and c share 40 bytes and have 5 each alone. The version named alone has 30. */
    private static List<Share> family() {
        return List.of(
                share(40, named("a"), named("b"), named("c")),
                share(5, named("a")),
                share(5, named("b")),
                share(5, named("c")),
                share(30, named("alone")));
    }

    private static Selection ofFamily(long bytes, double valueOfEach, EvictionCandidate alone) {
        return select(
                bytes,
                family(),
                candidate("a", 45, Kind.FREE, valueOfEach),
                candidate("b", 45, Kind.FREE, valueOfEach),
                candidate("c", 45, Kind.FREE, valueOfEach),
                alone);
    }

    @Test
    void aSingleVersionIsEvictedInsteadOfAGroupThatSharesChunks() {
        Selection selection = ofFamily(20, 0, candidate("alone", 30, Kind.FREE, 0));

        assertThat(names(selection)).containsExactly("alone");
        assertThat(selection.victims()).extracting(Victim::bytes).containsExactly(30L);
    }

    @Test
    void aGroupThatSharesChunksCountsTheSumOfItsValues() {
        assertThat(names(ofFamily(20, 1, candidate("alone", 30, Kind.FREE, 2))))
                .containsExactly("alone");
    }

    @Test
    void aGroupIsEvictedIfTheSingleVersionIsPinnedOrWorthMore() {
        Selection held = ofFamily(20, 0, candidate("alone", 30, Kind.HELD, 0));
        Selection dear = ofFamily(20, 0, candidate("alone", 30, Kind.FREE, 9));

        assertThat(names(held)).containsExactly("a", "b", "c");
        assertThat(held.victims()).extracting(Victim::bytes).containsExactly(5L, 5L, 45L);
        assertThat(names(dear)).isEqualTo(names(held));
    }

    @Test
    void anExpiredGroupIsEvictedBeforeAnUnexpiredVersion() {
        Selection selection =
                select(
                        20,
                        family(),
                        expired("a", 45),
                        expired("b", 45),
                        expired("c", 45),
                        candidate("alone", 30, Kind.FREE, 0));

        assertThat(names(selection)).doesNotContain("alone").hasSize(3);
    }

    @Test
    void chunksSharedWithAPinnedVersionFreeNoSpace() {
        VictimSelection selection =
                new VictimSelection(
                        new UsedSpace(
                                List.of(
                                        candidate("a", 45, Kind.FREE, 0),
                                        candidate("b", 45, Kind.FREE, 0),
                                        heldUntil("c", 45, NOON),
                                        candidate("alone", 30, Kind.BUSY, 0)),
                                family()),
                        WANTED);

        assertThat(selection.select(20).shortBytes()).isEqualTo(10);
        assertThat(names(selection.select(20))).containsExactly("a", "b");
        // When c's pin ends, the whole family can be evicted.
        assertThat(selection.pinsEnd(20)).isEqualTo(NOON);
    }

    @Test
    void aVersionThatSharesAllChunksWithOneThatStaysIsNoVictim() {
        List<Share> shares = List.of(share(50, named("held"), named("same")));

        Selection selection =
                select(
                        10,
                        shares,
                        candidate("held", 50, Kind.HELD, 0),
                        candidate("same", 50, Kind.FREE, 0));

        assertThat(selection.victims()).isEmpty();
        assertThat(selection.shortBytes()).isEqualTo(10);
    }

    @Test
    void chunksSharedWithTheWantedVersionFreeNoSpace() {
        List<Share> shares =
                List.of(
                        share(60, named("a"), WANTED),
                        share(20, named("a")),
                        share(20, named("b")));
        EvictionCandidate a = candidate("a", 80, Kind.FREE, 0);
        EvictionCandidate b = candidate("b", 20, Kind.FREE, 9);

        assertThat(names(select(21, shares, a, b))).containsExactly("b", "a");
        assertThat(select(41, shares, a, b).shortBytes()).isEqualTo(1);
    }

    @Test
    void theVersionThatSharesMostWithTheWantedOneStays() {
        EvictionCandidate before = expired("before", 80);
        EvictionCandidate dear = candidate("dear", 20, Kind.FREE, 9);
        List<Share> shares =
                List.of(
                        share(60, named("before"), WANTED),
                        share(20, named("before")),
                        share(20, named("dear")));

        assertThat(names(select(20, shares, before, dear))).containsExactly("dear");
        // Unless a pinned version shares as much.
        assertThat(
                        names(
                                select(
                                        20,
                                        List.of(
                                                share(60, named("before"), named("held"), WANTED),
                                                share(1, named("held"), WANTED),
                                                share(20, named("before")),
                                                share(19, named("dear"))),
                                        before,
                                        candidate("held", 61, Kind.HELD, 0),
                                        dear)))
                .containsExactly("before");
        // Unless no certain version needs the space, as in a sweep.
        assertThat(
                        names(
                                new VictimSelection(
                                                new UsedSpace(List.of(before, dear), shares), null)
                                        .select(20)))
                .containsExactly("before");
    }

    @ParameterizedTest(name = "{0} bytes")
    @CsvSource(
            nullValues = "never",
            value = {
                // Enough can be evicted now.
                "20, never",
                "21, 2026-11-20T12:00:00Z",
                "50, 2026-11-20T12:00:00Z",
                "51, 2026-11-20T12:00:09Z",
                // The end of the last pin is not known.
                "91, never",
                "101, never",
            })
    void pinsEndWhenEnoughOfThemHaveEnded(long bytes, @Nullable Instant end) {
        VictimSelection selection =
                new VictimSelection(
                        taken(
                                candidate("leaving", 10, Kind.LEAVING, 0),
                                candidate("free", 10, Kind.FREE, 0),
                                candidate("busy", 90, Kind.BUSY, 0),
                                heldUntil("unknown", 10, null),
                                heldUntil("later", 40, NOON.plusSeconds(9)),
                                heldUntil("sooner", 30, NOON)),
                        WANTED);

        assertThat(selection.pinsEnd(bytes)).isEqualTo(end);
        assertThat(selection.pinsEnd(bytes)).as("again").isEqualTo(end);
    }

    private static List<String> names(Selection selection) {
        return selection.victims().stream().map(each -> each.version().dataset().name()).toList();
    }

    private static Selection select(long bytes, EvictionCandidate... others) {
        return new VictimSelection(taken(others), WANTED).select(bytes);
    }

    private static Selection select(long bytes, List<Share> shares, EvictionCandidate... others) {
        return new VictimSelection(new UsedSpace(List.of(others), shares), WANTED).select(bytes);
    }

    private static UsedSpace taken(EvictionCandidate... others) {
        return taken(List.of(others));
    }

    /** Returns versions that share nothing. */
    private static UsedSpace taken(List<EvictionCandidate> others) {
        return new UsedSpace(
                others,
                others.stream().map(each -> share(each.spaceBytes(), each.version())).toList());
    }

    private static Share share(long bytes, DatasetVersion... owners) {
        return new Share(List.of(owners), bytes);
    }

    private static DatasetVersion named(String name) {
        return DatasetVersion.parse("team/" + name + "@v1");
    }

    /** Returns a version whose bytes are worth {@code perByte} each. */
    private static EvictionCandidate candidate(String name, long bytes, Kind kind, double perByte) {
        return new EvictionCandidate(
                named(name),
                kind,
                bytes,
                new Value(perByte, null, perByte * bytes),
                false,
                NOON,
                null);
    }

    private static EvictionCandidate expired(String name, long bytes) {
        return new EvictionCandidate(
                named(name), Kind.FREE, bytes, new Value(99, null, 99.0 * bytes), true, NOON, null);
    }

    private static EvictionCandidate heldUntil(String name, long bytes, @Nullable Instant until) {
        return new EvictionCandidate(
                named(name), Kind.HELD, bytes, Value.UNKNOWN, false, null, until);
    }
}
