package dev.forebay.lifecycle;

import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import java.time.Duration;
import java.time.Instant;

/**
 * Everything that can happen to a version. What each does is in the table of {@link Lifecycle}. The
 * passing of a TTL is not among them: it changes nothing, it only makes {@link Lifecycle#isExpired}
 * true.
 */
public sealed interface Event {

    /** The lake's prefix is frozen into a manifest. */
    record Ingested(ManifestRef manifest) implements Event {}

    /** How long unpinned copies stay is now {@code ttl}. */
    record TtlSet(Duration ttl, Instant at) implements Event {}

    /** An event of one region. */
    sealed interface Regional extends Event {
        RegionName region();
    }

    /** Somebody wants the version in the region. */
    record Ensured(RegionName region) implements Regional {}

    /** Somebody wants a region that is BLOCKED to try again. */
    record Resumed(RegionName region) implements Regional {}

    /** The region shows the version at {@code path}, still incomplete. */
    record Mounted(RegionName region, String path, Instant at) implements Regional {}

    /** So much is there, and so much of it came from the lake for this copy. */
    record WarmProgressed(
            RegionName region, long bytesCached, long bytesFromLake, long objectsCached)
            implements Regional {}

    /** The filling has come so far by itself, of what was there already, too. */
    record FillCounted(RegionName region, long bytes, long objects) implements Regional {}

    /** Every worker was asked, and what they hold adds up to {@code bytesVerified}. */
    record Confirmed(
            RegionName region,
            long bytesVerified,
            long bytesFromLake,
            long bytesFromSiblings,
            Instant at)
            implements Regional {}

    /** Filling has failed for good. */
    record FillFailed(RegionName region, Problem problem) implements Regional {}

    /** A region that was CACHED does not know the version any more, or not all of it is there. */
    record Lost(RegionName region) implements Regional {}

    /** The region's etcd holds the pin; again for a pin that is taken again. */
    record PinGranted(PinGrant pin) implements Regional {
        @Override
        public RegionName region() {
            return pin.region();
        }
    }

    /** The region's etcd says that the pin now lives until {@code expiresAt}. */
    record PinRenewed(RegionName region, String id, Instant expiresAt) implements Regional {}

    /** The pin was released, or the region's etcd says that it has ended. */
    record PinEnded(RegionName region, String id, Instant at) implements Regional {}

    /** Somebody got a receipt, and no pin. */
    record HandedOut(RegionName region, Instant at) implements Regional {}

    /** Somebody has read the copy. */
    record Read(RegionName region, Instant at) implements Regional {}

    /** The region is about to be asked to evict. */
    record EvictionBegun(RegionName region) implements Regional {}

    /** The region refused, because somebody holds a pin there. */
    record EvictionRefused(RegionName region, Instant at) implements Regional {}

    /** The region holds nothing any more. */
    record EvictionFinished(RegionName region) implements Regional {}
}
