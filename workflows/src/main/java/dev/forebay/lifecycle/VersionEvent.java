package dev.forebay.lifecycle;

import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import java.time.Duration;
import java.time.Instant;

/**
 * Everything that can happen to a version. The table of {@link Lifecycle} lists what each event
 * does.
 *
 * <p>The end of a TTL is no event: it changes no state and only makes {@link Lifecycle#isExpired}
 * true.
 */
public sealed interface VersionEvent {

    /** The source is frozen into a manifest. */
    record Ingested(ManifestRef manifest) implements VersionEvent {}

    /** The time to live of unpinned copies is now {@code ttl}. */
    record TtlSet(Duration ttl, Instant at) implements VersionEvent {}

    /** An event of one region. */
    sealed interface Regional extends VersionEvent {
        RegionName region();
    }

    /** A client requested the version in the region. */
    record Ensured(RegionName region) implements Regional {}

    /** A client asked a region that is BLOCKED to try again. */
    record Resumed(RegionName region) implements Regional {}

    /** The region shows the version at {@code path}. The copy is still incomplete. */
    record Mounted(RegionName region, String path, Instant at) implements Regional {}

    /**
     * Reports how many bytes are present, and how many of them came from the lake for this copy.
     */
    record WarmProgressed(
            RegionName region, long bytesCached, long bytesFromLake, long objectsCached)
            implements Regional {}

    /**
     * Reports how much of the version the fill has gone through. Bytes that were present already
     * count, too.
     */
    record FillCounted(RegionName region, long bytes, long objects) implements Regional {}

    /** All workers have answered, and the bytes they hold add up to {@code bytesVerified}. */
    record Confirmed(
            RegionName region,
            long bytesVerified,
            long bytesFromLake,
            long bytesFromSiblings,
            Instant at)
            implements Regional {}

    /** The fill has failed for good. */
    record FillFailed(RegionName region, Problem problem) implements Regional {}

    /** A region that was CACHED no longer knows the version, or lacks a part of it. */
    record Lost(RegionName region) implements Regional {}

    /** The region's etcd holds the pin. Repeated when the pin is taken again. */
    record PinGranted(PinGrant pin) implements Regional {
        @Override
        public RegionName region() {
            return pin.region();
        }
    }

    /** The region's etcd reports that the pin now lives until {@code expiresAt}. */
    record PinRenewed(RegionName region, String id, Instant expiresAt) implements Regional {}

    /** A client released the pin, or the region's etcd reports that it has ended. */
    record PinEnded(RegionName region, String id, Instant at) implements Regional {}

    /** A client received a receipt without a pin. */
    record HandedOut(RegionName region, Instant at) implements Regional {}

    /** A job has read the copy. */
    record Read(RegionName region, Instant at) implements Regional {}

    /** The workflow is about to ask the region to evict the version. */
    record EvictionBegun(RegionName region) implements Regional {}

    /** The region refused the eviction because a pin is alive there. */
    record EvictionRefused(RegionName region, Instant at) implements Regional {}

    /** The region holds nothing of the version any more. */
    record EvictionFinished(RegionName region) implements Regional {}
}
