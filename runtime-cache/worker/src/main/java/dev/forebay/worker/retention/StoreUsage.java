package dev.forebay.worker.retention;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.ChunkStoreStats;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import dev.forebay.transfer.WorkerUsage;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures the space in the store that each version uses. Blocks. Safe for use by many threads. */
public final class StoreUsage {

    private static final Logger LOG = LoggerFactory.getLogger(StoreUsage.class);

    private final ChunkStore store;
    private final MountedVersions versions;
    private final LastReads reads;

    public StoreUsage(ChunkStore store, MountedVersions versions, LastReads reads) {
        this.store = store;
        this.versions = versions;
        this.reads = reads;
    }

    /**
     * Returns the current usage. The figures are not of one instant, because chunks come and go
     * during the measurement.
     *
     * @throws ForebayException {@code UNAVAILABLE} before the first state of the region's mount
     *     table
     */
    public WorkerUsage measure() {
        RegionView view = versions.view();
        List<ManifestRef> mounted = view.mounts().stream().map(Mount::manifest).distinct().toList();
        Map<PackId, Set<Digest>> owners = new HashMap<>();
        Map<Digest, Duration> readAgo = new HashMap<>();
        boolean complete = !view.hidesClaims();
        for (ManifestRef ref : mounted) {
            complete &= addTo(owners, ref);
            reads.ago(ref.digest()).ifPresent(ago -> readAgo.put(ref.digest(), ago));
        }
        Map<Set<Digest>, Long> bytes = new HashMap<>();
        for (PackId pack : store.packs()) {
            bytes.merge(owners.getOrDefault(pack, Set.of()), store.footprint(pack), Long::sum);
        }
        ChunkStoreStats stats = store.stats();
        return new WorkerUsage(
                stats.capacityBytes(),
                stats.usedBytes(),
                complete,
                bytes.entrySet().stream()
                        .map(share -> new WorkerUsage.Share(share.getKey(), share.getValue()))
                        .toList(),
                readAgo);
    }

    /** Returns false if the packs of the version are unknown. */
    private boolean addTo(Map<PackId, Set<Digest>> owners, ManifestRef ref) {
        try {
            versions.packs(ref)
                    .forEach(
                            pack ->
                                    owners.computeIfAbsent(pack, _ -> new HashSet<>())
                                            .add(ref.digest()));
            return true;
        } catch (ForebayException e) {
            LOG.warn(
                    "Cannot calculate the chunks that {} shares with other versions",
                    ref.digest(),
                    e);
            return false;
        }
    }
}
