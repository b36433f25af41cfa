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
 * Other regions through the gateways of their agents, which speak the worker protocol's read of
 * what is there.
 *
 * <p>Which ones says the mount table. None of them is needed: one that is away, slow, or sends what
 * is not what it says is left alone for a while, one that does not have the version is left alone
 * for this version, and the caller goes to the lake. However many there are, no other one is asked
 * after the time that one may take.
 */
public final class SiblingRegions implements Siblings {

    private static final Logger LOG = LoggerFactory.getLogger(SiblingRegions.class);

    /** Bounds what is remembered, far above the regions and versions that there are. */
    private static final int MOST_LEFT_ALONE = 10_000;

    private final Supplier<RegionView> view;
    private final WorkerClient client;
    private final Permits permits;
    private final Duration timeout;
    private final Duration backOff;
    private final FillObserver observer;
    private final Cache<LeftAlone, Boolean> leftAlone;

    /**
     * @param manifest which version; any if absent
     */
    private record LeftAlone(URI gateway, @Nullable Digest manifest) {}

    /**
     * @param client gives an answer no longer than {@code timeout}
     * @param permits how many chunks may be on their way from other regions at once
     * @param timeout how long anybody waits for a permit; and after which no other region is asked
     * @param backOff how long one that failed is left alone
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
                // Another one may have failed while this fill waited for its turn.
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
                    "The region behind {} is left alone for {} s: {}",
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

    /** A gateway as the client of workers knows one; it is no worker, and has no weight. */
    private static WorkerNode node(Sibling sibling) {
        return new WorkerNode(sibling.gateway().toString(), sibling.gateway(), 0);
    }
}
