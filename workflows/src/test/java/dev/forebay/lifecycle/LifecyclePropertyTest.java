package dev.forebay.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lifecycle.Event.Confirmed;
import dev.forebay.lifecycle.Event.Ensured;
import dev.forebay.lifecycle.Event.EvictionBegun;
import dev.forebay.lifecycle.Event.EvictionFinished;
import dev.forebay.lifecycle.Event.EvictionRefused;
import dev.forebay.lifecycle.Event.FillCounted;
import dev.forebay.lifecycle.Event.FillFailed;
import dev.forebay.lifecycle.Event.HandedOut;
import dev.forebay.lifecycle.Event.Ingested;
import dev.forebay.lifecycle.Event.Lost;
import dev.forebay.lifecycle.Event.Mounted;
import dev.forebay.lifecycle.Event.PinEnded;
import dev.forebay.lifecycle.Event.PinGranted;
import dev.forebay.lifecycle.Event.PinRenewed;
import dev.forebay.lifecycle.Event.Read;
import dev.forebay.lifecycle.Event.Regional;
import dev.forebay.lifecycle.Event.Resumed;
import dev.forebay.lifecycle.Event.TtlSet;
import dev.forebay.lifecycle.Event.WarmProgressed;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.VersionStatus;
import io.temporal.common.converter.DataConverter;
import io.temporal.common.converter.DefaultDataConverter;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Invariants that hold after any events in any order. The events are those of real life, some of
 * them lost, repeated or late, as if a process was killed before it heard an answer. Stray events
 * come in between.
 */
class LifecyclePropertyTest {

    private static final Instant START = Instant.parse("2026-11-20T00:00:00Z");
    private static final VersionStatus NEW =
            new VersionStatus(
                    DatasetVersion.of("team", "digits", "v1"),
                    null,
                    Duration.ofHours(1),
                    List.of(),
                    List.of());

    @Property
    void aRegionWithALivePinIsNeverEvictingOrAbsent(@ForAll("histories") List<Event> events) {
        eachStep(
                events,
                (_, _, after) ->
                        assertThat(after.pins())
                                .allSatisfy(
                                        pin ->
                                                assertThat(state(after, pin.region()))
                                                        .isNotIn(State.ABSENT, State.EVICTING)));
    }

    @Property
    void aCachedRegionHasEveryByte(@ForAll("histories") List<Event> events) {
        eachStep(
                events,
                (_, _, after) ->
                        assertThat(after.regions())
                                .filteredOn(residency -> residency.state() == State.CACHED)
                                .allSatisfy(
                                        residency -> {
                                            assertThat(residency.bytesCached())
                                                    .isEqualTo(
                                                            Objects.requireNonNull(after.manifest())
                                                                    .bytes());
                                            assertThat(residency.cachedAt()).isNotNull();
                                        }));
    }

    @Property
    void theManifestNeverChanges(@ForAll("histories") List<Event> events) {
        eachStep(
                events,
                (before, _, after) -> {
                    if (before.manifest() != null) {
                        assertThat(after.manifest()).isEqualTo(before.manifest());
                    }
                });
    }

    @Property
    void aRepeatedEventChangesNothing(@ForAll("histories") List<Event> events) {
        eachStep(
                events,
                (_, event, after) -> assertThat(Lifecycle.apply(after, event)).isEqualTo(after));
    }

    @Property
    void progressNeverDecreasesDuringAFill(@ForAll("histories") List<Event> events) {
        eachStep(
                events,
                (before, event, after) -> {
                    if (event instanceof WarmProgressed || event instanceof Mounted) {
                        RegionName region = ((Regional) event).region();
                        assertThat(Lifecycle.residency(after, region).bytesCached())
                                .isGreaterThanOrEqualTo(
                                        Lifecycle.residency(before, region).bytesCached());
                        assertThat(Lifecycle.residency(after, region).bytesFromLake())
                                .isGreaterThanOrEqualTo(
                                        Lifecycle.residency(before, region).bytesFromLake());
                        assertThat(Lifecycle.residency(after, region).objectsCached())
                                .isGreaterThanOrEqualTo(
                                        Lifecycle.residency(before, region).objectsCached());
                    }
                });
    }

    @Property
    void theTtlRunsExactlyInCachedUnpinnedRegions(@ForAll("histories") List<Event> events) {
        eachStep(
                events,
                (_, _, after) ->
                        assertThat(after.regions())
                                .allSatisfy(
                                        residency ->
                                                assertThat(residency.evictableAt() != null)
                                                        .isEqualTo(
                                                                residency.state() == State.CACHED
                                                                        && Lifecycle.pins(
                                                                                        after,
                                                                                        residency
                                                                                                .region())
                                                                                .isEmpty())));
    }

    @Property
    void aRegionHasAProblemExactlyWhileItIsBlocked(@ForAll("histories") List<Event> events) {
        eachStep(
                events,
                (_, _, after) ->
                        assertThat(after.regions())
                                .allSatisfy(
                                        residency ->
                                                assertThat(residency.blocked() != null)
                                                        .isEqualTo(
                                                                residency.state()
                                                                        == State.BLOCKED)));
    }

    @Property
    void eventsOfOneRegionDoNotChangeOthers(@ForAll("histories") List<Event> events) {
        eachStep(
                events,
                (before, event, after) -> {
                    if (event instanceof Regional regional) {
                        assertThat(others(after, regional.region()))
                                .isEqualTo(others(before, regional.region()));
                        assertThat(
                                        after.pins().stream()
                                                .filter(
                                                        pin ->
                                                                !pin.region()
                                                                        .equals(regional.region())))
                                .containsExactlyElementsOf(
                                        before.pins().stream()
                                                .filter(
                                                        pin ->
                                                                !pin.region()
                                                                        .equals(regional.region()))
                                                .toList());
                    }
                });
    }

    @Property
    void regionsAndPinsAreSortedAndUnique(@ForAll("histories") List<Event> events) {
        eachStep(
                events,
                (_, _, after) -> {
                    assertThat(after.regions().stream().map(r -> r.region().value()))
                            .isSorted()
                            .doesNotHaveDuplicates();
                    assertThat(after.pins().stream().map(p -> p.region() + "/" + p.id()))
                            .isSorted()
                            .doesNotHaveDuplicates();
                });
    }

    /** The next run of a workflow begins with the state that the last one has written. */
    @Property
    void theNextRunContinuesWithTheStateOfTheLastOne(
            @ForAll("histories") List<Event> before, @ForAll("histories") List<Event> after) {
        DataConverter converter = DefaultDataConverter.STANDARD_INSTANCE;
        VersionStatus last = before.stream().reduce(NEW, Lifecycle::apply, (_, b) -> b);
        VersionStatus next =
                converter.fromPayload(
                        converter.toPayload(last).orElseThrow(),
                        VersionStatus.class,
                        VersionStatus.class);
        assertThat(next).isEqualTo(last);
        assertThat(after.stream().reduce(next, Lifecycle::apply, (_, b) -> b))
                .isEqualTo(after.stream().reduce(last, Lifecycle::apply, (_, b) -> b));
    }

    @Provide
    Arbitrary<List<Event>> histories() {
        // Random events alone seldom reach CACHED.
        Arbitrary<RegionName> region = Arbitraries.of("ap-1", "us-1").map(RegionName::new);
        Arbitrary<List<Event>> story = region.flatMap(LifecyclePropertyTest::story);
        Arbitrary<List<Event>> stray = event().map(List::of);
        return Arbitraries.frequencyOf(Tuple.of(1, story), Tuple.of(6, stray))
                .list()
                .ofMaxSize(60)
                .map(parts -> parts.stream().flatMap(List::stream).toList())
                .flatMap(LifecyclePropertyTest::delivered);
    }

    /** Returns after how many later events each event arrives: once, several times, or never. */
    private static Arbitrary<List<Event>> delivered(List<Event> events) {
        Arbitrary<Integer> late = Arbitraries.integers().between(1, 40);
        Arbitrary<List<Integer>> delays =
                Arbitraries.frequencyOf(
                        Tuple.of(12, Arbitraries.just(List.of(0))),
                        Tuple.of(2, late.map(by -> List.of(0, by))),
                        Tuple.of(1, late.map(List::of)),
                        Tuple.of(1, Arbitraries.just(List.of())));
        return delays.list().ofSize(events.size()).map(all -> inOrder(events, all));
    }

    private static List<Event> inOrder(List<Event> events, List<List<Integer>> delays) {
        record Delivery(int at, Event event) {}
        return IntStream.range(0, events.size())
                .boxed()
                .flatMap(i -> delays.get(i).stream().map(by -> new Delivery(i + by, events.get(i))))
                .sorted(Comparator.comparingInt(Delivery::at))
                .map(Delivery::event)
                .toList();
    }

    private static Arbitrary<List<Event>> story(RegionName region) {
        return Combinators.combine(Arbitraries.longs().between(0, 100_000), manifest())
                .as(
                        (seconds, manifest) ->
                                List.of(
                                        new Ingested(manifest),
                                        new Ensured(region),
                                        new Mounted(region, "/mnt/forebay/team/digits/v1", START),
                                        new Confirmed(
                                                region,
                                                manifest.bytes(),
                                                manifest.bytes(),
                                                0,
                                                START.plusSeconds(seconds))));
    }

    private static Arbitrary<ManifestRef> manifest() {
        return Arbitraries.frequency(Tuple.of(9, 1_000L), Tuple.of(1, 2_000L))
                .map(
                        bytes ->
                                new ManifestRef(
                                        "s3://forebay/manifests/x.sqlite",
                                        new Digest("%064x".formatted(bytes)),
                                        3,
                                        bytes,
                                        1));
    }

    private static Arbitrary<Event> event() {
        Arbitrary<RegionName> region = Arbitraries.of("ap-1", "us-1").map(RegionName::new);
        Arbitrary<Instant> at = Arbitraries.longs().between(0, 100_000).map(START::plusSeconds);
        Arbitrary<Long> bytes = Arbitraries.longs().between(0, 1_500);
        Arbitrary<String> id = Arbitraries.of("p1", "p2", "p3");
        return Arbitraries.oneOf(
                List.of(
                        manifest().map(Ingested::new),
                        Combinators.combine(
                                        Arbitraries.longs().between(1, 5).map(Duration::ofHours),
                                        at)
                                .as(TtlSet::new),
                        region.map(Ensured::new),
                        region.map(Resumed::new),
                        region.map(Lost::new),
                        Combinators.combine(region, at)
                                .as((r, t) -> new Mounted(r, "/mnt/forebay/team/digits/v1", t)),
                        Combinators.combine(region, at).as(HandedOut::new),
                        Combinators.combine(region, at).as(Read::new),
                        Combinators.combine(region, bytes, bytes, Arbitraries.longs().between(0, 3))
                                .as(WarmProgressed::new),
                        Combinators.combine(region, bytes, Arbitraries.longs().between(0, 3))
                                .as(FillCounted::new),
                        Combinators.combine(region, bytes, bytes, bytes, at).as(Confirmed::new),
                        region.map(
                                r ->
                                        new FillFailed(
                                                r,
                                                new Problem(ErrorCode.LAKE_DENIED, "no access"))),
                        Combinators.combine(region, id, at)
                                .as(
                                        (r, i, t) ->
                                                new PinGranted(
                                                        new PinGrant(r, i, "job", "test", t))),
                        Combinators.combine(region, id, at).as(PinRenewed::new),
                        Combinators.combine(region, id, at).as(PinEnded::new),
                        region.map(EvictionBegun::new),
                        Combinators.combine(region, at).as(EvictionRefused::new),
                        region.map(EvictionFinished::new)));
    }

    private static List<Residency> others(VersionStatus status, RegionName region) {
        return status.regions().stream().filter(r -> !r.region().equals(region)).toList();
    }

    private static State state(VersionStatus status, RegionName region) {
        return Lifecycle.residency(status, region).state();
    }

    private static void eachStep(List<Event> events, Step step) {
        VersionStatus before = NEW;
        for (Event event : events) {
            VersionStatus after = Lifecycle.apply(before, event);
            step.check(before, event, after);
            before = after;
        }
    }

    @FunctionalInterface
    private interface Step {
        void check(VersionStatus before, Event event, VersionStatus after);
    }
}
