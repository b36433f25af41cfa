package dev.forebay.transfer;

import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.placement.Placement;
import dev.forebay.placement.WorkerNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Fetches images of versions from the worker that owns them, so that one worker writes each for all
 * nodes. An image is placed like the first chunk of a pack whose id is the manifest's digest. Safe
 * for use by many threads.
 */
public final class RegionImages {

    private final WorkerClient client;
    private final Supplier<WorkerSet> workers;

    /**
     * @param workers the region's as known now
     */
    public RegionImages(WorkerClient client, Supplier<WorkerSet> workers) {
        this.client = client;
        this.workers = workers;
    }

    /**
     * Downloads the image of a mounted version to {@code file}, which is overwritten. Asks the
     * owner first, then the next live workers, each once; who is asked writes the image if it does
     * not have it.
     *
     * @return the image's SHA-256
     * @throws ForebayException the last worker's failure
     */
    public Digest fetch(DatasetVersion version, Digest manifest, Path file) {
        ForebayException last =
                new ForebayException(
                        ErrorCode.UNAVAILABLE, "no worker is registered in this region");
        for (WorkerNode worker : candidates(manifest)) {
            try {
                return client.image(worker, version, manifest, file);
            } catch (ForebayException e) {
                last = e;
            }
        }
        throw last;
    }

    private List<WorkerNode> candidates(Digest manifest) {
        WorkerSet known = workers.get();
        List<WorkerNode> ranked =
                Placement.rank(new ChunkId(new PackId(manifest), 0), known.registered());
        List<WorkerNode> live = new ArrayList<>(ranked);
        live.removeIf(worker -> !known.live().contains(worker.id()));
        return live.isEmpty() ? ranked : live;
    }
}
