package dev.forebay.worker.handover;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.membership.WorkerRegistration;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.ParallelCalls;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.worker.fill.ChunkAccess;
import dev.forebay.worker.retention.MountedVersions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains this worker: hands its chunks of mounted versions to their next owners, and removes it
 * from the region.
 *
 * <p>First the worker gives up the ownership of its chunks. Readers and prewarms then ask the new
 * owners, which prefer this worker as a source. After that it makes each new owner fetch the
 * remaining chunks. Time and bandwidth are bounded: chunks that are left have to be fetched from
 * the lake again. Safe for use by many threads.
 */
public final class Drain implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
    private static final int PAGE = 1_000;
    private static final int AT_ONCE = 4;
    private static final Duration VIEW_TIMEOUT = Duration.ofSeconds(10);

    /** The state of a drain. */
    public enum State {
        /** No drain was requested. */
        SERVING,
        /** Chunks are being handed over, and reads are still served. */
        DRAINING,
        /** The handover has ended, and the worker is out of the region. */
        DRAINED
    }

    /**
     * The progress of a drain.
     *
     * @param handedOver chunks that their new owners hold
     * @param bytes total size of these chunks
     * @param left chunks not handed over, because their owner failed or the time was up; also the
     *     unchecked chunks of a manifest that could not be read
     */
    public record Progress(State state, long handedOver, long bytes, long left) {}

    private final String self;
    private final WorkerRegistration membership;
    private final MountedVersions versions;
    private final BiPredicate<ChunkAccess.Version, ChunkRef> held;
    private final WorkerClient client;
    private final Duration timeout;
    private final long bytesPerSecond;
    private Progress progress = new Progress(State.SERVING, 0, 0, 0);
    private @Nullable Thread thread;
    private boolean failed;
    private volatile boolean closed;

    /**
     * @param self this worker's id
     * @param held whether everything that a version has in a chunk is here
     * @param bytesPerSecond the highest rate of the handover
     */
    public Drain(
            String self,
            WorkerRegistration membership,
            MountedVersions versions,
            BiPredicate<ChunkAccess.Version, ChunkRef> held,
            WorkerClient client,
            Duration timeout,
            long bytesPerSecond) {
        this.self = self;
        this.membership = membership;
        this.versions = versions;
        this.held = held;
        this.client = client;
        this.timeout = timeout;
        this.bytesPerSecond = bytesPerSecond;
    }

    /**
     * Starts the drain, unless it is running or has ended. A failed drain starts again.
     *
     * @throws ForebayException {@code UNAVAILABLE} if this worker is not live, if no other worker
     *     is, or if etcd does not answer
     */
    public synchronized Progress start() {
        if (closed) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "this worker cannot hand its chunks over, because it has no disk or is stopping");
        }
        if (thread == null || failed) {
            if (others(versions.view()).isEmpty()) {
                throw new ForebayException(
                        ErrorCode.UNAVAILABLE,
                        "no other worker of the region is live to take the chunks: start another one");
            }
            membership.drain();
            failed = false;
            progress = new Progress(State.DRAINING, 0, 0, 0);
            thread = Thread.ofVirtual().name("drain").start(this::run);
        }
        return progress;
    }

    /** Returns the current progress. */
    public synchronized Progress progress() {
        return progress;
    }

    /** Waits until a started drain has ended, or the time is up. */
    public void await(Duration limit) throws InterruptedException {
        @Nullable Thread started;
        synchronized (this) {
            started = thread;
        }
        if (started != null) {
            boolean _ = started.join(limit);
        }
    }

    private void run() {
        boolean _ =
                CatchAll.run(
                        this::drain,
                        e -> {
                            fail();
                            LOG.warn("The drain failed at {}: start it again", progress(), e);
                        });
    }

    private void drain() throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        awaitOwnClaimGone();
        for (Mount mount : versions.view().mounts()) {
            if (mount.state() != Mount.State.EVICTING) {
                handOver(mount, deadline);
            }
        }
        requireAllUnderstood();
        if (!closed) {
            membership.remove();
            end();
            LOG.info("Drained: {}", progress());
        }
    }

    /**
     * Keeps the worker in the region: no other worker was asked to take the chunks that such a row
     * may protect.
     */
    private void requireAllUnderstood() {
        List<String> hidden = versions.view().hiddenClaims();
        if (!hidden.isEmpty()) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "this worker stays, because it cannot read etcd key %s of a later release: upgrade it"
                            .formatted(hidden.getFirst()));
        }
    }

    /**
     * Waits until this worker sees its own draining row. Workers that copy chunks from here follow
     * the same rows.
     */
    private void awaitOwnClaimGone() throws InterruptedException {
        long deadline = System.nanoTime() + VIEW_TIMEOUT.toNanos();
        while (!closed && deadline - System.nanoTime() > 0) {
            if (versions.view().workers().stream()
                    .anyMatch(worker -> worker.id().equals(self) && worker.draining())) {
                return;
            }
            Thread.sleep(50);
        }
    }

    /**
     * Hands over one version. A failure does not stop the other versions. If the manifest cannot be
     * read, all its chunks that were not checked count as left.
     */
    private void handOver(Mount mount, long deadline) throws InterruptedException {
        Digest digest = mount.manifest().digest();
        long next = 0;
        try (MountedVersions.Use use = versions.use(digest)) {
            ChunkAccess.Version version =
                    new ChunkAccess.Version(digest, use.manifest(), () -> false);
            List<ChunkRef> page = use.manifest().chunks(0, PAGE);
            while (!page.isEmpty()) {
                List<ChunkRef> here = page.stream().filter(ref -> held.test(version, ref)).toList();
                for (int i = 0; i < here.size(); i += AT_ONCE) {
                    together(digest, here.subList(i, Math.min(i + AT_ONCE, here.size())), deadline);
                }
                next = page.getLast().ordinal() + 1;
                page = use.manifest().chunks(next, PAGE);
            }
        } catch (ForebayException e) {
            LOG.warn("Cannot hand over the chunks of {}: {}", mount.version(), e.getMessage());
            countLeft(mount.manifest().chunks() - next);
        }
    }

    private void together(Digest digest, List<ChunkRef> refs, long deadline)
            throws InterruptedException {
        long begun = System.nanoTime();
        long before = progress().bytes();
        ParallelCalls.forEach(refs.iterator(), AT_ONCE, ref -> tryToGive(digest, ref, deadline));
        long due = begun + (long) (1e9 * (progress().bytes() - before) / bytesPerSecond);
        long early = due - System.nanoTime();
        if (early > 0) {
            TimeUnit.NANOSECONDS.sleep(early);
        }
    }

    /** Counts the chunk in any case. */
    private void tryToGive(Digest digest, ChunkRef ref, long deadline) {
        boolean given =
                CatchAll.get(
                        () -> give(digest, ref, deadline),
                        e -> {
                            LOG.warn("Cannot hand over {}", ref.chunk(), e);
                            return false;
                        });
        count(ref, given);
    }

    /** Makes the first available new owner fetch a chunk. */
    private boolean give(Digest digest, ChunkRef ref, long deadline) {
        for (WorkerNode worker :
                Placement.rank(ref.chunk(), others(versions.view())).stream().limit(2).toList()) {
            if (closed || deadline - System.nanoTime() <= 0) {
                return false;
            }
            try {
                FillAnswer answer = client.fill(worker, digest, ref.chunk());
                if (answer.bytesFromLake() > 0) {
                    LOG.warn(
                            "Worker {} filled {} from the lake instead of this worker",
                            worker.id(),
                            ref.chunk());
                }
                return true;
            } catch (ForebayException e) {
                LOG.warn("Cannot hand over {}: {}", ref.chunk(), e.getMessage());
            }
        }
        return false;
    }

    private List<WorkerNode> others(RegionView view) {
        return view.workers().stream()
                .filter(worker -> !worker.id().equals(self) && !worker.draining())
                .filter(worker -> view.live().contains(worker.id()))
                .toList();
    }

    private synchronized void count(ChunkRef ref, boolean given) {
        progress =
                new Progress(
                        progress.state,
                        progress.handedOver + (given ? 1 : 0),
                        progress.bytes + (given ? ref.length() : 0),
                        progress.left + (given ? 0 : 1));
    }

    private synchronized void countLeft(long chunks) {
        progress =
                new Progress(
                        progress.state,
                        progress.handedOver,
                        progress.bytes,
                        progress.left + chunks);
    }

    private synchronized void fail() {
        failed = true;
    }

    private synchronized void end() {
        progress = new Progress(State.DRAINED, progress.handedOver, progress.bytes, progress.left);
    }

    /** Stops the handover. Remaining chunks stay here. */
    @Override
    public void close() {
        closed = true;
    }
}
