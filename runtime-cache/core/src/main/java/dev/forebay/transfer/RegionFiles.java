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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Fetches manifests, and images of versions, from any worker of the region that can serve them.
 * Asks each live worker once. Workers that did not answer lately come last. Gives a slow worker up
 * for the next one ({@link WatchedDownload}).
 *
 * <p>Calls block. Safe for use by many threads. If no worker can help, calls throw the failure of
 * the last one. If this machine cannot store the file, no other worker is asked.
 */
public final class RegionFiles {

    private final WorkerClient client;
    private final Supplier<WorkerSet> workers;
    private final RegionFilesConfig config;
    private final SuspectWorkers suspects;
    private final Probes probes;

    /**
     * @param workers returns the region's workers as known now
     */
    public RegionFiles(WorkerClient client, Supplier<WorkerSet> workers, RegionFilesConfig config) {
        this.client = client;
        this.workers = workers;
        this.config = config;
        this.suspects = new SuspectWorkers(config.reads().suspicion());
        this.probes = new Probes(client, config.reads().silence(), suspects);
    }

    /**
     * Downloads a manifest from any worker to {@code file}, which is overwritten.
     *
     * @throws ForebayException {@code CAPACITY_EXCEEDED} if this machine's disk is full
     */
    public void manifest(Digest manifest, Path file) {
        WorkerSet known = workers.get();
        List<WorkerNode> any = new ArrayList<>(known.registered());
        Collections.shuffle(any);
        List<WorkerNode> candidates = suspects.order(any, known.live());
        RegionReaderConfig reads = config.reads();
        boolean _ =
                first(
                        candidates,
                        worker -> {
                            // Readers wait for the manifest, so the last candidate gets more time:
                            // it may be away for a moment.
                            boolean last = worker.equals(candidates.getLast());
                            client.manifest(
                                    manifest,
                                    file,
                                    watched(
                                            worker,
                                            last,
                                            !last,
                                            last ? reads.totalTimeout() : reads.attemptTimeout()));
                            return true;
                        });
    }

    /**
     * Downloads the image of a mounted version to {@code file}, which is overwritten. Asks the
     * owner first, so that one worker writes the image for all nodes. An image is placed like the
     * first chunk of a pack whose id is the manifest's digest. A worker that does not have the
     * image writes it.
     *
     * @return the image's SHA-256
     * @throws ForebayException {@code CAPACITY_EXCEEDED} if this machine's disk is full
     */
    public Digest image(DatasetVersion version, Digest manifest, Path file) {
        WorkerSet known = workers.get();
        List<WorkerNode> ranked =
                Placement.rank(new ChunkId(new PackId(manifest), 0), known.registered());
        List<WorkerNode> candidates = suspects.order(ranked, known.live());
        return first(
                candidates,
                worker ->
                        client.image(
                                version,
                                manifest,
                                file,
                                watched(
                                        worker,
                                        worker.equals(candidates.getLast()),
                                        true,
                                        config.imageFirstByte())));
    }

    private WatchedDownload watched(
            WorkerNode worker, boolean last, boolean probed, Duration firstByte) {
        return new WatchedDownload(config, probes, worker, last, probed, firstByte);
    }

    private <T> T first(List<WorkerNode> candidates, Function<WorkerNode, T> fetch) {
        ForebayException last =
                new ForebayException(
                        ErrorCode.UNAVAILABLE, "no worker is registered in this region: start one");
        for (WorkerNode worker : candidates) {
            try {
                T fetched = fetch.apply(worker);
                suspects.clear(worker);
                return fetched;
            } catch (ForebayException e) {
                if (e.getCause() instanceof NotStoredException) {
                    throw e;
                }
                if (e.code() == ErrorCode.UNAVAILABLE) {
                    suspects.suspect(worker);
                }
                last = e;
            }
        }
        throw last;
    }
}
