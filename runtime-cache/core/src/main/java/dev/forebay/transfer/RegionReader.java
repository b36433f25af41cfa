package dev.forebay.transfer;

import dev.forebay.model.Backoff;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.thread.Pauses;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads packs from any worker of the region that can serve them: first the owner by placement, then
 * the next live workers. Calls block. Safe for use by many threads.
 *
 * <p>A slow worker is watched ({@link HedgedRead}). A worker that refuses, does not answer or sends
 * damaged bytes is skipped. In the last case it gets a report, and repairs the chunk meanwhile.
 * While a worker is busy, the others are asked for copies only. Otherwise they would fetch what the
 * busy worker is about to fetch. After the timeout of one attempt they may fetch it. When all have
 * been asked, the reader starts again after a pause, until the total timeout. Failures that no
 * worker can repair, such as an object that changed in the lake, end the read at once.
 */
public final class RegionReader {

    private static final Backoff BACKOFF =
            new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1));

    /**
     * The time for which all workers may answer that the version is not mounted: their view of a
     * new mount may be older than the reader's.
     */
    private static final Duration UNMOUNTED_TIMEOUT = Duration.ofSeconds(2);

    private final Supplier<WorkerSet> workers;
    private final RegionReaderConfig config;
    private final ReadEvents events;
    private final SuspectWorkers suspects;
    private final DamageReports damage;
    private final HedgedRead watched;
    private final int identity = ThreadLocalRandom.current().nextInt();

    /**
     * @param workers returns the region's workers as known now
     */
    public RegionReader(
            WorkerClient client,
            Supplier<WorkerSet> workers,
            RegionReaderConfig config,
            ReadEvents events) {
        this.workers = workers;
        this.config = config;
        this.events = events;
        this.suspects = new SuspectWorkers(config.suspicion());
        this.damage = new DamageReports(client);
        this.watched =
                new HedgedRead(
                        client,
                        config,
                        suspects,
                        new Probes(client, config.silence(), suspects),
                        new HedgeBudget(config.hedgeShare()),
                        events);
    }

    /**
     * Fills {@code target} from its position on with all bytes {@code [from, to)} of a pack, each
     * verified.
     *
     * @param to at most the end of the pack; the range may span chunks
     * @throws ForebayException the last failure, if the time is up or no worker can help
     */
    public void read(Digest manifest, PackId pack, long from, long to, ByteBuffer target) {
        long deadline = System.nanoTime() + config.totalTimeout().toNanos();
        long at = from;
        while (at < to) {
            long chunkEnd = ChunkId.at(pack, at).start() + ChunkId.CHUNK_BYTES;
            ByteRange range = new ByteRange(at, Math.min(to, chunkEnd));
            at += new Attempts(manifest, pack, range, target, deadline).read();
        }
    }

    /** The attempts to read at least the first bytes of a range within one chunk. */
    private final class Attempts {
        private final long startNanos = System.nanoTime();
        private final Digest manifest;
        private final PackId pack;
        private final ByteRange range;
        private final ByteBuffer target;
        private final long deadlineNanos;
        private @Nullable ForebayException last;

        Attempts(
                Digest manifest,
                PackId pack,
                ByteRange range,
                ByteBuffer target,
                long deadlineNanos) {
            this.manifest = manifest;
            this.pack = pack;
            this.range = range;
            this.target = target;
            this.deadlineNanos = deadlineNanos;
        }

        int read() {
            for (int failures = 1; ; failures++) {
                int bytes = askEach(candidates());
                if (bytes > 0) {
                    return bytes;
                }
                Duration pause = BACKOFF.after(failures);
                if (left().compareTo(pause) <= 0) {
                    throw failure();
                }
                Pauses.sleep(pause);
            }
        }

        private List<WorkerNode> candidates() {
            WorkerSet known = workers.get();
            List<WorkerNode> ranked = new ArrayList<>(Placement.rank(chunk(), known.registered()));
            int replicas = known.replicas(manifest);
            if (replicas > 1) {
                // Readers start with different copies, and each reader always with the same one.
                Collections.rotate(
                        ranked.subList(0, replicas), Objects.hash(chunk(), identity) % replicas);
            }
            return suspects.order(ranked, known.live());
        }

        private ChunkId chunk() {
            return ChunkId.at(pack, range.from());
        }

        /**
         * Asks the workers in order. Returns the number of bytes from the first one that could
         * serve them, or 0.
         */
        private int askEach(List<WorkerNode> workers) {
            boolean allSayUnmounted = !workers.isEmpty();
            boolean busy = false;
            for (int i = 0; i < workers.size(); i++) {
                if (left().isNegative()) {
                    throw failure();
                }
                WorkerNode worker = workers.get(i);
                RangeRequest next =
                        i + 1 < workers.size() ? request(workers.get(i + 1), true) : null;
                try {
                    Optional<HedgedRead.Answered> answered =
                            watched.run(
                                    request(worker, busy && waited(config.attemptTimeout()) < 0),
                                    next,
                                    workers.size() > 1,
                                    target,
                                    attemptTimeout());
                    allSayUnmounted = false;
                    if (answered.isPresent()) {
                        suspects.clear(answered.get().worker());
                        events.answered(answered.get().worker(), answered.get().answer());
                        return answered.get().answer().bytes();
                    }
                } catch (ForebayException e) {
                    events.failedAttempt(worker, e);
                    damage.consider(worker, manifest, chunk(), e);
                    last = e;
                    allSayUnmounted &= saysUnmounted(e);
                    busy |= e.getCause() instanceof BusyException;
                    if (isSilence(e)) {
                        suspects.suspect(worker);
                    }
                    if (!e.code().retryable() && e.code() != ErrorCode.NOT_FOUND) {
                        throw e;
                    }
                }
            }
            if (allSayUnmounted && waited(UNMOUNTED_TIMEOUT) > 0) {
                throw failure();
            }
            return 0;
        }

        private RangeRequest request(WorkerNode worker, boolean onlyIfCached) {
            return new RangeRequest(worker, manifest, pack, range, onlyIfCached);
        }

        /** Compares the duration of this read so far with another one. */
        private int waited(Duration time) {
            return Long.compare(System.nanoTime() - startNanos, time.toNanos());
        }

        /**
         * Returns whether no worker answered, or the answer did not follow the protocol. A refusal
         * is an answer.
         */
        private static boolean isSilence(ForebayException failure) {
            return failure.code() == ErrorCode.UNAVAILABLE
                    && failure.getCause() instanceof IOException;
        }

        private static boolean saysUnmounted(ForebayException failure) {
            return failure.code() == ErrorCode.NOT_FOUND || failure.code() == ErrorCode.EVICTING;
        }

        private Duration attemptTimeout() {
            Duration left = left();
            return left.compareTo(config.attemptTimeout()) < 0 ? left : config.attemptTimeout();
        }

        private Duration left() {
            return Duration.ofNanos(deadlineNanos - System.nanoTime());
        }

        private ForebayException failure() {
            return last != null
                    ? last
                    : new ForebayException(
                            ErrorCode.UNAVAILABLE,
                            "no worker is registered in this region: start one");
        }
    }
}
