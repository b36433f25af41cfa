package dev.forebay.worker.retention;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.Dropped;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import dev.forebay.transfer.DropAnswer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Drops the chunks of a version that is being evicted. Blocks. Safe for use by many threads. */
public final class ChunkDropper {

    private final ChunkStore store;
    private final Consumer<Predicate<PackId>> awaitFills;
    private final MountedVersions versions;
    private final Consumer<DatasetVersion> gone;
    private final BooleanSupplier current;

    /**
     * The packs to drop from, according to one state of the mount table.
     *
     * @param packs the packs of the version
     * @param needed the chunks of these packs that remaining versions need
     */
    private record Doomed(RegionView view, Set<PackId> packs, NeededChunks needed) {}

    /**
     * @param awaitFills returns when the current fills of such packs have ended
     * @param gone receives each version whose chunks were dropped
     * @param current whether this process is still this worker and knows the region's state; if
     *     not, nothing is dropped
     */
    public ChunkDropper(
            ChunkStore store,
            Consumer<Predicate<PackId>> awaitFills,
            MountedVersions versions,
            Consumer<DatasetVersion> gone,
            BooleanSupplier current) {
        this.store = store;
        this.awaitFills = awaitFills;
        this.versions = versions;
        this.gone = gone;
        this.current = current;
    }

    /**
     * Drops the chunks of this manifest, except those that a remaining version needs. A version
     * that is mounted or pinned while this runs also remains.
     *
     * @throws dev.forebay.model.ForebayException {@code PINNED} if a pin protects the version, or
     *     {@code UNAVAILABLE} if this worker does not know yet that the version is being evicted
     */
    public DropAnswer drop(Digest digest) {
        requireCurrent();
        Doomed doomed = doomed(digest);
        Set<PackId> packs = doomed.packs();
        // No new fill of this version can begin, but one that is running could still store a chunk
        // after this loop has passed it.
        awaitFills.accept(packs::contains);
        Dropped dropped = Dropped.NONE;
        for (PackId pack : packs) {
            for (ChunkId chunk : store.chunks(pack)) {
                Optional<Dropped> done = Optional.empty();
                while (done.isEmpty()) {
                    requireCurrent();
                    if (!versions.view().equals(doomed.view())) {
                        doomed = doomed(digest);
                    }
                    done =
                            doomed.needed().has(chunk)
                                    ? Optional.of(Dropped.NONE)
                                    : versions.ifStill(doomed.view(), () -> store.drop(chunk));
                }
                dropped = dropped.plus(done.get());
            }
        }
        DropRule.leaving(doomed.view(), digest).forEach(gone);
        return new DropAnswer(dropped.chunks(), dropped.bytes());
    }

    private Doomed doomed(Digest digest) {
        try {
            return seenDoomed(digest);
        } catch (ForebayException perhapsBehind) {
            versions.catchUp();
            return seenDoomed(digest);
        }
    }

    private Doomed seenDoomed(Digest digest) {
        RegionView now = versions.view();
        List<ManifestRef> keep = DropRule.keep(now, digest);
        Set<PackId> packs = versions.packs(DropRule.reference(now, digest));
        return new Doomed(now, packs, versions.needed(keep, packs));
    }

    /**
     * Checked for each chunk: the process may have been stopped, and the version mounted again
     * meanwhile.
     */
    private void requireCurrent() {
        if (!current.getAsBoolean()) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "this worker has no connection to its region's etcd, so it drops nothing: "
                            + "retry");
        }
    }
}
