package dev.forebay.worker.fill;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Sibling;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.ReadAnswer;
import dev.forebay.transfer.WorkerClient;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads chunks from sibling regions through the gateways of their agents. A gateway implements the
 * worker protocol's read of cached bytes.
 *
 * <p>The mount table lists the siblings of a version. All of them are optional. A region that is
 * down, slow, or sends wrong bytes is skipped during the backoff. A region that does not have the
 * version is skipped for this version only. The caller then reads the lake. The timeout bounds the
 * whole search: no further region is asked after it.
 */
public final class SiblingRegions implements Siblings {

    private static final Logger LOG = LoggerFactory.getLogger(SiblingRegions.class);

    /** Bounds the memory, far above the number of regions and versions. */
    private static final int MOST_LEFT_ALONE = 10_000;

    private final Supplier<RegionView> view;
    private final WorkerClient client;
    private final Permits permits;
    private final Duration timeout;
    private final Duration backOff;
    private final FillObserver observer;
    private final Cache<LeftAlone, Boolean> leftAlone;

    /**
     * @param manifest the version; null for all versions
     */
    private record LeftAlone(URI gateway, @Nullable Digest manifest) {}

    /**
     * @param client must time out no later than {@code timeout}
     * @param permits bounds the number of chunks in transfer from sibling regions
     * @param timeout the longest wait for a permit; also the time after which no other region is
     *     asked
     * @param backOff the time for which a failed region is skipped
     */
    public SiblingRegions(
            Supplier<RegionView> view,
            WorkerClient client,
            Permits permits,
            Duration timeout,
            Duration backOff,
            FillObserver observer) {
        this.view = view;
        this.client = client;
        this.permits = permits;
        this.timeout = timeout;
        this.backOff = backOff;
        this.observer = observer;
        this.leftAlone =
                Caffeine.newBuilder()
                        .maximumSize(MOST_LEFT_ALONE)
                        .expireAfterWrite(backOff)
                        .executor(Runnable::run)
                        .build();
    }

    @Override
    public Optional<Sibling> fetch(
            Digest manifest, ChunkId chunk, int from, ByteBuffer target, Urgency urgency) {
        long deadline = System.nanoTime() + timeout.toNanos();
        List<Sibling> siblings =
                view.get().siblings(manifest).stream()
                        .filter(each -> !isLeftAlone(each, manifest))
                        .toList();
        if (siblings.isEmpty() || !acquire(urgency)) {
            return Optional.empty();
        }
        try {
            for (Sibling sibling : siblings) {
                // The region may have failed for another fill while this one was queued.
                if (System.nanoTime() < deadline
                        && !isLeftAlone(sibling, manifest)
                        && asks(sibling, manifest, chunk, from, target.slice())) {
                    return Optional.of(sibling);
                }
            }
            return Optional.empty();
        } finally {
            permits.release();
        }
    }

    private boolean acquire(Urgency urgency) {
        try {
            permits.acquire(urgency, timeout);
            return true;
        } catch (ForebayException busy) {
            observer.siblingRequest("busy", 0);
            return false;
        }
    }

    private boolean asks(
            Sibling sibling, Digest manifest, ChunkId chunk, int from, ByteBuffer target) {
        int bytes = target.remaining();
        long first = chunk.start() + from;
        try {
            Optional<ReadAnswer> answer =
                    client.readIfCached(
                            node(sibling), manifest, chunk.pack(), first, first + bytes, target);
            boolean all = answer.filter(read -> read.bytes() == bytes).isPresent();
            observer.siblingRequest(all ? "ok" : "miss", all ? bytes : 0);
            return all;
        } catch (ForebayException e) {
            observer.siblingRequest(e.code().name().toLowerCase(Locale.ROOT), 0);
            Digest which = e.code() == ErrorCode.NOT_FOUND ? manifest : null;
            LOG.info(
                    "Not reading from the region behind {} for {} s: {}",
                    sibling.gateway(),
                    backOff.toSeconds(),
                    e.getMessage());
            leftAlone.put(new LeftAlone(sibling.gateway(), which), true);
            return false;
        }
    }

    private boolean isLeftAlone(Sibling sibling, Digest manifest) {
        return leftAlone.getIfPresent(new LeftAlone(sibling.gateway(), null)) != null
                || leftAlone.getIfPresent(new LeftAlone(sibling.gateway(), manifest)) != null;
    }

    /** Wraps a gateway for the worker client. It is no worker of the region, so its weight is 0. */
    private static WorkerNode node(Sibling sibling) {
        return new WorkerNode(sibling.gateway().toString(), sibling.gateway(), 0);
    }
}
