package dev.forebay.lifecycle;

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
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.VersionStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The lifecycle of a dataset version: a pure function from a state and an event to the next state.
 *
 * <p>Each region has a state of its own. Only the manifest and the TTL are common to all. An event
 * that does not fit the region's state changes nothing, so repeated and late events do no harm.
 * Events that fit are in this table:
 *
 * <table>
 * <caption>Transitions of a region</caption>
 * <tr><th>event</th><th>from</th><th>to</th><th>with</th></tr>
 * <tr><td>Ensured</td><td>ABSENT, BLOCKED</td><td>WARMING</td><td>bytes present before still
 * count</td></tr>
 * <tr><td>Resumed</td><td>BLOCKED</td><td>WARMING</td><td>as above</td></tr>
 * <tr><td>Mounted</td><td>WARMING</td><td>WARMING</td><td>path</td></tr>
 * <tr><td>WarmProgressed</td><td>WARMING</td><td>WARMING</td><td>bytes, never fewer</td></tr>
 * <tr><td>FillCounted</td><td>WARMING, mounted</td><td>WARMING</td><td>progress of the
 * fill</td></tr>
 * <tr><td>Confirmed, with every byte</td><td>WARMING</td><td>CACHED</td><td>TTL starts unless
 * pinned</td></tr>
 * <tr><td>FillFailed</td><td>WARMING</td><td>BLOCKED</td><td>the problem</td></tr>
 * <tr><td>Lost</td><td>CACHED</td><td>WARMING</td><td>bytes counted from 0</td></tr>
 * <tr><td>PinGranted</td><td>WARMING, CACHED, BLOCKED</td><td>same</td><td>TTL stops</td></tr>
 * <tr><td>PinRenewed</td><td>any that has the pin</td><td>same</td><td>pin's expiry</td></tr>
 * <tr><td>PinEnded</td><td>any that has the pin</td><td>same</td><td>TTL starts if it was the
 * last pin</td></tr>
 * <tr><td>HandedOut, no pin</td><td>CACHED</td><td>CACHED</td><td>TTL starts again, unless it
 * started a moment ago</td></tr>
 * <tr><td>Read, no pin</td><td>CACHED</td><td>CACHED</td><td>as HandedOut</td></tr>
 * <tr><td>EvictionBegun, no pin</td><td>WARMING, CACHED, BLOCKED</td><td>EVICTING</td><td></td></tr>
 * <tr><td>EvictionRefused</td><td>EVICTING</td><td>CACHED if it was complete, else WARMING</td>
 * <td>TTL starts again</td></tr>
 * <tr><td>EvictionFinished</td><td>EVICTING</td><td>ABSENT</td><td></td></tr>
 * <tr><td>Ingested</td><td colspan="2">any, once</td><td>manifest</td></tr>
 * <tr><td>TtlSet</td><td colspan="2">any</td><td>if it differs, TTL starts again in CACHED,
 * unpinned regions</td></tr>
 * </table>
 *
 * <p>The TTL therefore starts at the latest of these moments: the last pin ended, the version
 * became CACHED, a client received a receipt without a pin, a job read the version, the TTL was
 * changed. Reads count as far as the workflow hears of them: see {@link
 * dev.forebay.workflows.DatasetVersionWorkflow#read}. The state stores when the TTL ends, not when
 * it started.
 */
public final class Lifecycle {

    private static final Comparator<Residency> BY_REGION =
            Comparator.comparing(residency -> residency.region().value());
    private static final Comparator<PinGrant> BY_REGION_AND_ID =
            Comparator.<PinGrant, String>comparing(pin -> pin.region().value())
                    .thenComparing(PinGrant::id);

    private static final Duration MOST_SLACK = Duration.ofMinutes(1);
    private static final int TTL_PARTS = 10;

    private Lifecycle() {}

    /** Returns the state after {@code event}. */
    public static VersionStatus apply(VersionStatus before, VersionEvent event) {
        return switch (event) {
            case Ingested ingested ->
                    before.manifest() != null
                            ? before
                            : new VersionStatus(
                                    before.version(),
                                    ingested.manifest(),
                                    before.ttl(),
                                    before.regions(),
                                    before.pins());
            case TtlSet set -> setTtl(before, set);
            case Regional regional -> applyRegional(before, regional);
        };
    }

    /** Returns the state of a region, ABSENT if no client ever requested the version there. */
    public static Residency residency(VersionStatus status, RegionName region) {
        return status.regions().stream()
                .filter(residency -> residency.region().equals(region))
                .findFirst()
                .orElseGet(() -> RegionCopy.absent(region));
    }

    /** Returns the pins of a region that the workflow believes alive, ordered by id. */
    public static List<PinGrant> pins(VersionStatus status, RegionName region) {
        return status.pins().stream().filter(pin -> pin.region().equals(region)).toList();
    }

    /** Returns a pin if the workflow believes it alive. */
    public static Optional<PinGrant> pin(VersionStatus status, RegionName region, String id) {
        return pins(status, region).stream().filter(pin -> pin.id().equals(id)).findFirst();
    }

    /**
     * Returns when the TTL of the copy in a region ends. Empty while it is pinned or not CACHED.
     */
    public static Optional<Instant> evictableAt(VersionStatus status, RegionName region) {
        return Optional.ofNullable(residency(status, region).evictableAt());
    }

    /** Returns whether the TTL of the copy in a region has ended. */
    public static boolean isExpired(VersionStatus status, RegionName region, Instant now) {
        return evictableAt(status, region).filter(at -> !now.isBefore(at)).isPresent();
    }

    /** Returns the first instant after {@code now} at which the TTL of a copy ends. */
    public static Optional<Instant> nextExpiry(VersionStatus status, Instant now) {
        return status.regions().stream()
                .flatMap(residency -> Stream.ofNullable(residency.evictableAt()))
                .filter(at -> at.isAfter(now))
                .min(Comparator.naturalOrder());
    }

    private static VersionStatus setTtl(VersionStatus before, TtlSet set) {
        if (before.ttl().equals(set.ttl())) {
            return before;
        }
        Instant evictableAt = set.at().plus(set.ttl());
        List<Residency> regions =
                before.regions().stream()
                        .map(
                                residency ->
                                        residency.evictableAt() == null
                                                ? residency
                                                : RegionCopy.evictable(residency, evictableAt))
                        .toList();
        return new VersionStatus(
                before.version(), before.manifest(), set.ttl(), regions, before.pins());
    }

    private static VersionStatus applyRegional(VersionStatus before, Regional event) {
        Residency now = residency(before, event.region());
        return switch (event) {
            case Ensured _ ->
                    now.state() == State.ABSENT || now.state() == State.BLOCKED
                            ? with(before, RegionCopy.filling(now))
                            : before;
            case Resumed _ ->
                    now.state() == State.BLOCKED ? with(before, RegionCopy.filling(now)) : before;
            case Lost _ ->
                    now.state() == State.CACHED ? with(before, RegionCopy.lost(now)) : before;
            case Mounted mounted ->
                    now.state() == State.WARMING
                            ? with(before, RegionCopy.mounted(now, mounted.path(), mounted.at()))
                            : before;
            case WarmProgressed warm ->
                    now.state() == State.WARMING
                            ? with(before, RegionCopy.progressed(now, warm))
                            : before;
            case Confirmed confirmed ->
                    isComplete(before, now, confirmed)
                            ? with(before, cached(before, now, confirmed))
                            : before;
            case FillCounted counted ->
                    now.state() == State.WARMING
                            ? with(before, RegionCopy.counted(now, counted))
                            : before;
            case FillFailed failed ->
                    now.state() == State.WARMING
                            ? with(before, RegionCopy.blocked(now, failed.problem()))
                            : before;
            case PinGranted granted ->
                    isPinnable(now)
                            ? withPins(
                                    with(before, RegionCopy.evictable(now, null)),
                                    Stream.concat(
                                            without(before, now.region(), granted.pin().id()),
                                            Stream.of(granted.pin())))
                            : before;
            case PinRenewed renewed -> renew(before, renewed);
            case PinEnded ended -> endPin(before, now, ended);
            case HandedOut handedOut -> used(before, now, handedOut.at());
            case Read read -> used(before, now, read.at());
            case EvictionBegun _ ->
                    isPinnable(now) && pins(before, now.region()).isEmpty()
                            ? with(before, RegionCopy.evicting(now))
                            : before;
            case EvictionRefused refused ->
                    now.state() == State.EVICTING
                            ? with(before, RegionCopy.spared(now, refused.at().plus(before.ttl())))
                            : before;
            case EvictionFinished _ ->
                    now.state() == State.EVICTING
                            ? with(before, RegionCopy.absent(now.region()))
                            : before;
        };
    }

    private static boolean isPinnable(Residency residency) {
        return switch (residency.state()) {
            case WARMING, CACHED, BLOCKED -> true;
            case ABSENT, EVICTING -> false;
        };
    }

    private static boolean isComplete(VersionStatus status, Residency now, Confirmed confirmed) {
        return now.state() == State.WARMING
                && status.manifest() != null
                && status.manifest().bytes() == confirmed.bytesVerified();
    }

    private static Residency cached(VersionStatus status, Residency now, Confirmed confirmed) {
        boolean pinned = !pins(status, now.region()).isEmpty();
        ManifestRef manifest = status.manifest();
        return RegionCopy.cached(
                now,
                confirmed,
                manifest == null ? 0 : manifest.objects(),
                pinned ? null : confirmed.at().plus(status.ttl()));
    }

    /**
     * Moves the end of the TTL only by more than the slack, so that many readers cause one change
     * of state.
     */
    private static VersionStatus used(VersionStatus before, Residency now, Instant at) {
        Instant end = at.plus(before.ttl());
        return now.evictableAt() != null
                        && now.evictableAt().isBefore(end.minus(slack(before.ttl())))
                ? with(before, RegionCopy.evictable(now, end))
                : before;
    }

    private static Duration slack(Duration ttl) {
        Duration part = ttl.dividedBy(TTL_PARTS);
        return part.compareTo(MOST_SLACK) < 0 ? part : MOST_SLACK;
    }

    private static VersionStatus renew(VersionStatus before, PinRenewed renewed) {
        return pin(before, renewed.region(), renewed.id())
                .map(
                        pin ->
                                withPins(
                                        before,
                                        Stream.concat(
                                                without(before, pin.region(), pin.id()),
                                                Stream.of(pin.until(renewed.expiresAt())))))
                .orElse(before);
    }

    private static VersionStatus endPin(VersionStatus before, Residency now, PinEnded ended) {
        if (pin(before, ended.region(), ended.id()).isEmpty()) {
            return before;
        }
        VersionStatus after = withPins(before, without(before, ended.region(), ended.id()));
        return now.state() == State.CACHED && pins(after, now.region()).isEmpty()
                ? with(after, RegionCopy.evictable(now, ended.at().plus(before.ttl())))
                : after;
    }

    private static Stream<PinGrant> without(VersionStatus status, RegionName region, String id) {
        return status.pins().stream()
                .filter(pin -> !pin.region().equals(region) || !pin.id().equals(id));
    }

    private static VersionStatus withPins(VersionStatus before, Stream<PinGrant> pins) {
        return new VersionStatus(
                before.version(),
                before.manifest(),
                before.ttl(),
                before.regions(),
                pins.sorted(BY_REGION_AND_ID).toList());
    }

    private static VersionStatus with(VersionStatus before, Residency changed) {
        List<Residency> regions =
                Stream.concat(
                                before.regions().stream()
                                        .filter(other -> !other.region().equals(changed.region())),
                                Stream.of(changed))
                        .sorted(BY_REGION)
                        .toList();
        return new VersionStatus(
                before.version(), before.manifest(), before.ttl(), regions, before.pins());
    }
}
