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
import dev.forebay.lifecycle.VersionEvent.Regional;
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
    void aRegionWithALivePinIsNeverEvictingOrAbsent(
            @ForAll("histories") List<VersionEvent> events) {
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
    void aCachedRegionHasEveryByte(@ForAll("histories") List<VersionEvent> events) {
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
    void theManifestNeverChanges(@ForAll("histories") List<VersionEvent> events) {
        eachStep(
                events,
                (before, _, after) -> {
                    if (before.manifest() != null) {
                        assertThat(after.manifest()).isEqualTo(before.manifest());
                    }
                });
    }

    @Property
    void aRepeatedEventChangesNothing(@ForAll("histories") List<VersionEvent> events) {
        eachStep(
                events,
                (_, event, after) -> assertThat(Lifecycle.apply(after, event)).isEqualTo(after));
    }

    @Property
    void progressNeverDecreasesDuringAFill(@ForAll("histories") List<VersionEvent> events) {
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
    void theTtlRunsExactlyInCachedUnpinnedRegions(@ForAll("histories") List<VersionEvent> events) {
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
    void aRegionHasAProblemExactlyWhileItIsBlocked(@ForAll("histories") List<VersionEvent> events) {
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
    void eventsOfOneRegionDoNotChangeOthers(@ForAll("histories") List<VersionEvent> events) {
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
    void regionsAndPinsAreSortedAndUnique(@ForAll("histories") List<VersionEvent> events) {
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
            @ForAll("histories") List<VersionEvent> before,
            @ForAll("histories") List<VersionEvent> after) {
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
    Arbitrary<List<VersionEvent>> histories() {
        // Random events alone seldom reach CACHED.
        Arbitrary<RegionName> region = Arbitraries.of("ap-1", "us-1").map(RegionName::new);
        Arbitrary<List<VersionEvent>> story = region.flatMap(LifecyclePropertyTest::story);
        Arbitrary<List<VersionEvent>> stray = event().map(List::of);
        return Arbitraries.frequencyOf(Tuple.of(1, story), Tuple.of(6, stray))
                .list()
                .ofMaxSize(60)
                .map(parts -> parts.stream().flatMap(List::stream).toList())
                .flatMap(LifecyclePropertyTest::delivered);
    }

    /** Returns after how many later events each event arrives: once, several times, or never. */
    private static Arbitrary<List<VersionEvent>> delivered(List<VersionEvent> events) {
        Arbitrary<Integer> late = Arbitraries.integers().between(1, 40);
        Arbitrary<List<Integer>> delays =
                Arbitraries.frequencyOf(
                        Tuple.of(12, Arbitraries.just(List.of(0))),
                        Tuple.of(2, late.map(by -> List.of(0, by))),
                        Tuple.of(1, late.map(List::of)),
                        Tuple.of(1, Arbitraries.just(List.of())));
        return delays.list().ofSize(events.size()).map(all -> inOrder(events, all));
    }

    private static List<VersionEvent> inOrder(
            List<VersionEvent> events, List<List<Integer>> delays) {
        record Delivery(int at, VersionEvent event) {}
        return IntStream.range(0, events.size())
                .boxed()
                .flatMap(i -> delays.get(i).stream().map(by -> new Delivery(i + by, events.get(i))))
                .sorted(Comparator.comparingInt(Delivery::at))
                .map(Delivery::event)
                .toList();
    }

    private static Arbitrary<List<VersionEvent>> story(RegionName region) {
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

    private static Arbitrary<VersionEvent> event() {
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

    private static void eachStep(List<VersionEvent> events, Step step) {
        VersionStatus before = NEW;
        for (VersionEvent event : events) {
            VersionStatus after = Lifecycle.apply(before, event);
            step.check(before, event, after);
            before = after;
        }
    }

    @FunctionalInterface
    private interface Step {
        void check(VersionStatus before, VersionEvent event, VersionStatus after);
    }
}
