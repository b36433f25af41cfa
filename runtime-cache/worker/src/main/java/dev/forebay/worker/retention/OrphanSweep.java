package dev.forebay.worker.retention;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.Dropped;
import dev.forebay.membership.Mount;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.thread.Closing;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the chunks that no mounted version needs: those that a worker brings back which was away
 * while their version was evicted.
 *
 * <p>In doubt it leaves everything: when etcd is away, while no version is mounted at all, which is
 * how a region looks that has lost its etcd, while the manifest of some mounted version cannot be
 * read, and while a row of a later release may claim anything. A chunk goes only if nothing needed
 * it at the look before either. Remembers a bit for each chunk.
 */
public final class OrphanSweep implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OrphanSweep.class);

    private final ChunkStore store;
    private final MountedVersions versions;
    private final BooleanSupplier inTouch;
    private final Duration interval;
    private final Duration perChunk;
    private final Closing closing = new Closing();
    private final Thread thread = Thread.ofVirtual().name("orphans").unstarted(this::run);

    private Map<PackId, BitSet> suspects = Map.of();
    private volatile Dropped total = Dropped.NONE;

    /**
     * @param inTouch whether the mount table is known to be current
     * @param interval between two looks
     * @param bytesPerSecond how fast chunks are removed, more than 0
     */
    public OrphanSweep(
            ChunkStore store,
            MountedVersions versions,
            BooleanSupplier inTouch,
            Duration interval,
            long bytesPerSecond) {
        this.store = store;
        this.versions = versions;
        this.inTouch = inTouch;
        this.interval = interval;
        this.perChunk = Duration.ofNanos((long) (1e9 * ChunkId.CHUNK_BYTES / bytesPerSecond));
    }

    /** Looks now and then once in each interval, until closed. */
    public void start() {
        thread.start();
    }

    private void run() {
        do {
            try {
                look();
            } catch (RuntimeException | Error e) {
                LOG.warn("Cannot look for chunks that no version refers to; trying again", e);
            }
        } while (!closing.within(interval));
    }

    /**
     * Removes what is needed neither now nor was at the look before. For one thread.
     *
     * @throws ForebayException if the manifest of a mounted version cannot be had
     */
    void look() {
        if (!versions.ready() || !inTouch.getAsBoolean()) {
            return;
        }
        List<Mount> mounts = versions.view().mounts();
        if (mounts.isEmpty() || versions.view().hidesClaims()) {
            suspects = Map.of();
            return;
        }
        Set<PackId> packs = Set.copyOf(store.packs());
        NeededChunks needed =
                versions.needed(mounts.stream().map(Mount::manifest).distinct().toList(), packs);
        Map<PackId, BitSet> before = suspects;
        suspects = orphans(packs, needed);
        drop(
                suspects,
                before,
                mounts.stream()
                        .map(mount -> mount.manifest().digest())
                        .collect(Collectors.toSet()));
    }

    private Map<PackId, BitSet> orphans(Set<PackId> packs, NeededChunks needed) {
        Map<PackId, BitSet> orphans = new HashMap<>();
        for (PackId pack : packs) {
            for (ChunkId chunk : store.chunks(pack)) {
                if (!needed.has(chunk)) {
                    orphans.computeIfAbsent(pack, _ -> new BitSet()).set(chunk.index());
                }
            }
        }
        return orphans;
    }

    /**
     * Removes what is among both.
     *
     * @param known the manifests of those that do not need them
     */
    private void drop(Map<PackId, BitSet> now, Map<PackId, BitSet> earlier, Set<Digest> known) {
        Dropped before = total;
        for (Map.Entry<PackId, BitSet> each : now.entrySet()) {
            BitSet doomed = (BitSet) each.getValue().clone();
            doomed.and(earlier.getOrDefault(each.getKey(), new BitSet()));
            if (!drop(each.getKey(), doomed, known)) {
                break;
            }
        }
        if (!total.equals(before)) {
            LOG.info(
                    "Removed {} chunks that no mounted version needs",
                    total.chunks() - before.chunks());
        }
    }

    /** Returns whether it may go on. */
    private boolean drop(PackId pack, BitSet doomed, Set<Digest> known) {
        for (int index = doomed.nextSetBit(0); index >= 0; index = doomed.nextSetBit(index + 1)) {
            ChunkId chunk = new ChunkId(pack, index);
            // The table may have changed since, so each chunk is asked for anew.
            boolean mayGo =
                    inTouch.getAsBoolean()
                            && versions.unlessOthers(
                                    known, () -> total = total.plus(store.drop(chunk)));
            if (!mayGo || closing.within(perChunk)) {
                return false;
            }
        }
        return true;
    }

    /** What was removed since the start. */
    public Dropped total() {
        return total;
    }

    @Override
    public void close() {
        closing.begin();
    }
}
