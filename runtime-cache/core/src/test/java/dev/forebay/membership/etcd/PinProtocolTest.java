package dev.forebay.membership.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.membership.Keys;
import dev.forebay.membership.Pin;
import dev.forebay.membership.etcd.Exploration.Actor;
import dev.forebay.membership.etcd.Exploration.State;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Tests every order in which the calls of a few pins and evictions can reach etcd. Leases may end
 * and answers may be lost at any moment. The test runs the real {@link PinLeases} and {@link
 * Mounts} on a model of etcd.
 */
class PinProtocolTest {

    private static final DatasetVersion VERSION = DatasetVersion.of("vision", "digits", "v1");
    private static final ManifestRef MANIFEST =
            new ManifestRef("s3://m/k", new Digest("a".repeat(64)), 3, 30, 1);
    private static final Keys KEYS = Keys.of(new RegionName("r1"));
    private static final UnaryOperator<Change[]> AS_IT_IS = UnaryOperator.identity();

    @Test
    void aRaceOfPinsAndAnEvictionHasOneWinner() {
        Exploration search =
                new Exploration(mounted(), AS_IT_IS, pin("p", "alice"), pin("q", "bob"), evict());

        search.run(
                PinProtocolTest::isSafe,
                end -> {
                    boolean pinned =
                            end.of(0).equals(Exploration.DONE)
                                    && end.of(1).equals(Exploration.DONE);
                    boolean evicted = end.of(0).equals("EVICTING") && end.of(1).equals("EVICTING");
                    assertThat(end.of(2)).isEqualTo(pinned ? "PINNED" : Exploration.DONE);
                    assertThat(pinned ^ evicted).isTrue();
                    assertThat(livePins(end)).isEqualTo(pinned ? 2 : 0);
                    noLeaseIsLeft(end);
                });

        assertThat(search.ends()).isGreaterThan(10);
    }

    @Test
    void anAcceptedPinLivesUntilItsOwnLeaseEnds() {
        Exploration search =
                new Exploration(mounted(), AS_IT_IS, pin("p", "alice"), evictAndUnmount(), mount());

        search.endingLeases(1)
                .run(
                        PinProtocolTest::isSafe,
                        end -> {
                            if (end.of(0).equals(Exploration.DONE) && end.ended() == 0) {
                                assertThat(livePins(end)).isEqualTo(1);
                            }
                        });
    }

    @Test
    void pinSucceedsIfALeaseEndsBeforeItIsUsed() {
        new Exploration(mounted(), AS_IT_IS, pin("p", "alice"))
                .endingLeases(2)
                .run(
                        PinProtocolTest::isSafe,
                        end -> assertThat(end.of(0)).isEqualTo(Exploration.DONE));
    }

    @Test
    void lostAnswersNeitherLosePinsNorBlockEvictions() {
        Exploration search =
                new Exploration(mounted(), AS_IT_IS, pin("p", "alice"), evictAndUnmount());

        search.losingAnswers(2)
                .endingLeases(1)
                .run(
                        PinProtocolTest::isSafe,
                        end -> {
                            if (end.of(0).equals(Exploration.DONE) && end.ended() == 0) {
                                assertThat(livePins(end)).isEqualTo(1);
                            }
                            if (livePins(end) == 0 && end.ended() == 0) {
                                assertThat(end.of(1)).isEqualTo(Exploration.DONE);
                            }
                        });
    }

    @Test
    void pinningAgainLeavesNoMomentWithoutAPin() {
        ModelEtcd held = Exploration.alone(mounted(), pin("p", "alice"));
        Exploration search = new Exploration(held, AS_IT_IS, pin("p", "alice"), evict(), evict());

        search.losingAnswers(1)
                .run(
                        state -> {
                            isSafe(state);
                            assertThat(livePins(state)).isEqualTo(1);
                        },
                        end -> {
                            assertThat(end.of(0)).isEqualTo(Exploration.DONE);
                            assertThat(end.of(1)).isEqualTo("PINNED");
                            assertThat(end.of(2)).isEqualTo("PINNED");
                        });
    }

    @Test
    void onlyOneOfTwoHoldersGetsTheSamePinId() {
        Exploration search =
                new Exploration(
                        mounted(), AS_IT_IS, pin("p", "alice"), pin("p", "bob"), pin("p", "alice"));

        search.run(
                PinProtocolTest::isSafe,
                end -> {
                    boolean alices = end.of(1).equals(ErrorCode.ALREADY_EXISTS.name());
                    assertThat(end.of(0)).isEqualTo(end.of(2));
                    assertThat(end.of(0))
                            .isEqualTo(alices ? Exploration.DONE : ErrorCode.ALREADY_EXISTS.name());
                    assertThat(end.etcd().range(KEYS.pinsOf(VERSION)))
                            .hasSize(1)
                            .allMatch(
                                    pair ->
                                            pair.getValue()
                                                    .toString(UTF_8)
                                                    .contains(alices ? "alice" : "bob"));
                    noLeaseIsLeft(end);
                });
    }

    @Test
    void aRenewalDoesNotRemoveAPinThatIsTakenAgain() {
        ModelEtcd held = Exploration.alone(mounted(), pin("p", "alice"));
        Exploration search =
                new Exploration(
                        held,
                        AS_IT_IS,
                        actor((pins, _) -> pins.renew(VERSION, "p")),
                        pin("p", "alice"));

        search.run(
                state -> assertThat(livePins(state)).isEqualTo(1),
                end -> {
                    assertThat(end.of(1)).isEqualTo(Exploration.DONE);
                    noLeaseIsLeft(end);
                });
    }

    @Test
    void aReleaseWinsOverAConcurrentRenewal() {
        ModelEtcd held = Exploration.alone(mounted(), pin("p", "alice"));
        Exploration search =
                new Exploration(
                        held,
                        AS_IT_IS,
                        actor((pins, _) -> pins.unpin(VERSION, "p")),
                        actor((pins, _) -> pins.renew(VERSION, "p")),
                        evict());

        search.losingAnswers(1)
                .run(
                        PinProtocolTest::isSafe,
                        end -> {
                            assertThat(end.of(0)).isEqualTo(Exploration.DONE);
                            assertThat(livePins(end)).isZero();
                        });
    }

    /** Proves that the search works: it finds that a wrong protocol evicts a pinned version. */
    @Test
    void theSearchFindsAPinThatDoesNotTouchTheMount() {
        UnaryOperator<Change[]> untouched =
                changes -> changes.length == 2 ? new Change[] {changes[0]} : changes;
        Exploration search = new Exploration(mounted(), untouched, pin("p", "alice"), evict());

        assertThatThrownBy(() -> search.run(PinProtocolTest::isSafe, _ -> {}))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("pinned and being evicted");
    }

    /** Checks that no pinned version is being evicted or gone. */
    private static void isSafe(State state) {
        boolean kept =
                state.etcd()
                        .get(KEYS.mount(VERSION))
                        .filter(row -> !row.getValue().toString(UTF_8).contains("EVICTING"))
                        .isPresent();
        assertThat(kept || livePins(state) == 0).as("pinned and being evicted: %s", state).isTrue();
    }

    private static int livePins(State state) {
        return state.etcd().range(KEYS.pinsOf(VERSION)).size();
    }

    private static void noLeaseIsLeft(State end) {
        List<Long> used =
                end.etcd().cells().values().stream()
                        .map(ModelEtcd.Cell::lease)
                        .filter(lease -> lease != Change.NO_LEASE)
                        .toList();
        assertThat(end.etcd().leases()).containsExactlyInAnyOrderElementsOf(used);
    }

    private static ModelEtcd mounted() {
        return Exploration.alone(ModelEtcd.empty(), mount());
    }

    private static Actor mount() {
        return actor((_, mounts) -> mounts.mount(VERSION, MANIFEST));
    }

    private static Actor pin(String id, String holder) {
        Pin pin = new Pin(VERSION, id, holder, "training", Duration.ofMinutes(1));
        return actor((pins, _) -> pins.pin(pin));
    }

    private static Actor evict() {
        return actor((_, mounts) -> mounts.beginEviction(VERSION, List.of()));
    }

    private static Actor evictAndUnmount() {
        return actor(
                (_, mounts) -> {
                    mounts.beginEviction(VERSION, List.of());
                    mounts.unmount(VERSION);
                });
    }

    private interface Program {
        void run(PinLeases pins, Mounts mounts);
    }

    private static Actor actor(Program program) {
        return etcd -> {
            Mounts mounts = new Mounts(etcd, KEYS);
            program.run(new PinLeases(etcd, KEYS, mounts), mounts);
        };
    }
}
