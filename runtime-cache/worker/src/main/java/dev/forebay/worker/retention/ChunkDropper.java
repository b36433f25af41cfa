package dev.forebay.worker.retention;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.Dropped;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.worker.fill.ChunkAccess;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Drops the chunks of a version that is being evicted. Blocks; safe for use by many threads. */
public final class ChunkDropper {

    private final ChunkStore store;
    private final ChunkAccess chunks;
    private final MountedVersions versions;
    private final Consumer<DatasetVersion> gone;
    private final BooleanSupplier current;

    /**
     * @param gone told of each version whose chunks were dropped
     * @param current whether this process is certainly still this worker and knows the region's
     *     state; otherwise nothing is dropped
     */
    public ChunkDropper(
            ChunkStore store,
            ChunkAccess chunks,
            MountedVersions versions,
            Consumer<DatasetVersion> gone,
            BooleanSupplier current) {
        this.store = store;
        this.chunks = chunks;
        this.versions = versions;
        this.gone = gone;
        this.current = current;
    }

    /**
     * Drops the chunks of the packs that this manifest refers to and no version that stays does.
     *
     * @throws dev.forebay.model.ForebayException {@code PINNED} if a pin lives on it, or {@code
     *     UNAVAILABLE} if the version is not known here to be on its way out
     */
    public DropAnswer drop(Digest digest) {
        requireCurrent();
        RegionView now = versions.view();
        List<ManifestRef> keep = DropRule.keep(now, digest);
        Set<PackId> doomed = new HashSet<>(versions.packs(DropRule.reference(now, digest)));
        keep.forEach(ref -> doomed.removeAll(versions.packs(ref)));
        // No fill of this version begins any more, but one that began before could store a chunk
        // behind our back.
        chunks.awaitFills(doomed::contains);
        Dropped dropped = Dropped.NONE;
        for (PackId pack : doomed) {
            requireCurrent();
            dropped = dropped.plus(store.dropPack(pack));
        }
        DropRule.leaving(now, digest).forEach(gone);
        return new DropAnswer(dropped.chunks(), dropped.bytes());
    }

    /** A process that was stopped meanwhile may wake up after the version was mounted anew. */
    private void requireCurrent() {
        if (!current.getAsBoolean()) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "this worker is out of touch with its region's etcd and drops nothing");
        }
    }
}
