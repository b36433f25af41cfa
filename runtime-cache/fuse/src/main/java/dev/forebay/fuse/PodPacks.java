package dev.forebay.fuse;

import dev.forebay.fuse.fs.Manifests;
import dev.forebay.fuse.nodecache.NodePacks;
import dev.forebay.fuse.nodecache.NodePacksConfig;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.fuse.read.NodeBytes;
import dev.forebay.fuse.read.PackSource;
import dev.forebay.fuse.view.LocalPacks;
import dev.forebay.membership.Mount;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.PeriodicTask;
import dev.forebay.thread.ShutdownSignal;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node cache while this pod may use it. One process at a time has its directory, which pods
 * that stand by for each other may share. Until the cache is open, reads bypass it. Thread-safe.
 */
final class PodPacks implements PackSource, NodeBytes, LocalPacks, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PodPacks.class);
    static final String OPTION = "--cache-directory";

    /** The interval of attempts to lock the directory while another process has it. */
    private static final Duration RETRY = Duration.ofMillis(100);

    private final NodePacksConfig config;
    private final boolean eager;
    private final Manifests manifests;
    private final LocalChunks source;
    private final Consumer<ManifestRef> complete;
    private final ShutdownSignal closing = new ShutdownSignal();
    private final Set<Digest> usedBefore = ConcurrentHashMap.newKeySet();
    private volatile Optional<NodePacks> open = Optional.empty();
    private volatile Optional<NoCacheReason> off = Optional.empty();
    private volatile boolean serving;

    // Guarded by this.
    private List<Mount> mounts = List.of();
    private boolean mayBeMore;
    private @Nullable Closeable lock;
    private @Nullable PeriodicTask prewarmAll;

    /**
     * Creates the object without opening the cache; the other arguments are those of {@link
     * NodePacks#open}.
     *
     * @param eager whether to prewarm all mounted versions, including unused ones
     */
    PodPacks(
            NodePacksConfig config,
            boolean eager,
            Manifests manifests,
            LocalChunks source,
            Consumer<ManifestRef> complete) {
        this.config = config;
        this.eager = eager;
        this.manifests = manifests;
        this.source = source;
        this.complete = complete;
    }

    /**
     * Opens the cache, or continues without it if its disk is broken.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if another process has the directory, or it
     *     is unusable for another reason
     */
    void openNow() {
        try {
            openWith(PodDirectory.lock(OPTION, config.directory()));
        } catch (ForebayException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            doWithout(e);
        }
    }

    private void doWithout(Throwable why) {
        NoCacheReason reason = NoCacheReason.because(why);
        String remedy =
                reason == NoCacheReason.DESCRIPTORS
                        ? "allow this process more open files (ulimit -n), two for each pack of the cache"
                        : "repair or replace its disk";
        LOG.error("Serving without a node cache: {}, and restart this process", remedy, why);
        off = Optional.of(reason);
    }

    /**
     * Records that this pod serves from now on, so reads come from real readers. Unless the cache
     * is open, it opens as soon as no other process has the directory. Never blocks.
     */
    void serve() {
        serving = true;
        if (open.isEmpty() && off.isEmpty()) {
            Thread.ofPlatform().daemon().name("node-cache").start(this::openInTurn);
        }
    }

    /**
     * Waits until no other process has the directory and opens it, or until this object is closed.
     */
    void openInTurn() {
        boolean _ = CatchAll.run(this::awaitTurn, this::doWithout);
    }

    private void awaitTurn() {
        boolean mayWait = true;
        while (open.isEmpty() && mayWait) {
            Optional<Closeable> locked = PodDirectory.tryLock(OPTION, config.directory());
            locked.ifPresent(this::openWith);
            mayWait = locked.isEmpty() && !closing.within(RETRY);
        }
    }

    private synchronized void openWith(Closeable locked) {
        lock = locked;
        if (!closing.hasBegun()) {
            NodePacks packs = NodePacks.open(config, manifests, source, complete);
            update(packs);
            open = Optional.of(packs);
            usedBefore.forEach(packs::use);
            if (eager) {
                prewarmAll =
                        new PeriodicTask(
                                        Thread.ofPlatform().daemon().name("prewarm-all"),
                                        config.retryPause(),
                                        "Cannot prewarm all mounted versions",
                                        () -> useAll(packs))
                                .startAfterPause();
            }
        }
    }

    /** The node cache retries failed or lost versions only when they are used. */
    private synchronized void useAll(NodePacks packs) {
        mounts.forEach(mount -> packs.use(mount.manifest().digest()));
    }

    @Override
    public Optional<NodePacks> open() {
        return open;
    }

    @Override
    public boolean failed() {
        return off.isPresent();
    }

    /** Returns why the pod serves without the cache; empty if it is open or will be. */
    Optional<NoCacheReason> off() {
        return off;
    }

    /**
     * Starts to check whether a version is complete here that another process had here, as soon as
     * that process releases the directory. Missing bytes are fetched as if the version was read.
     *
     * @return whether the check is still pending; afterwards {@link NodePacks#isWhole} has the
     *     result
     */
    boolean findOut(Digest manifest) {
        Optional<NodePacks> now = open;
        now.ifPresent(packs -> packs.use(manifest));
        return now.map(packs -> packs.isUndecided(manifest)).orElse(off.isEmpty());
    }

    /**
     * Sets the mount table. Must be called before the versions are shown.
     *
     * @param more whether unknown versions may be mounted too; then nothing is swept
     */
    synchronized void update(List<Mount> now, boolean more) {
        mounts = now;
        mayBeMore = more;
        open.ifPresent(this::update);
    }

    private void update(NodePacks packs) {
        packs.keepAll(mayBeMore);
        packs.update(mounts);
        if (eager) {
            useAll(packs);
        }
    }

    @Override
    public void read(Digest manifest, PackId pack, long from, long to, ByteBuffer target) {
        open.<PackSource>map(packs -> packs).orElse(source).read(manifest, pack, from, to, target);
    }

    /**
     * Ignores reads before this pod serves: they are rehearsals and must not start a prewarm. Reads
     * while another process has the directory count once the cache is open, because the kernel may
     * not repeat them.
     */
    @Override
    public void use(Digest manifest) {
        if (!serving || off.isPresent()) {
            return;
        }
        if (open.isEmpty()) {
            usedBefore.add(manifest);
        }
        open.ifPresent(packs -> packs.use(manifest));
    }

    @Override
    public boolean has(Digest manifest, PackId pack, long from, long to) {
        return open.isPresent() && open.get().has(manifest, pack, from, to);
    }

    @Override
    public void willRead(PackId pack, long from, long to) {
        open.ifPresent(packs -> packs.willRead(pack, from, to));
    }

    @Override
    public Duration timeout() {
        return NodePacks.DISK_TIMEOUT;
    }

    @Override
    public void close() throws IOException {
        closing.begin();
        synchronized (this) {
            if (prewarmAll != null) {
                prewarmAll.close();
            }
            open.ifPresent(NodePacks::close);
            if (lock != null) {
                lock.close();
            }
        }
    }
}
