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
 * Fetches manifests, and images of versions, from whichever worker of the region can: each live one
 * is asked once, those that did not answer lately last. One that lets wait is given up for the next
 * ({@link WatchedDownload}).
 *
 * <p>Calls block; safe for use by many threads. When nobody can help they throw the last worker's
 * failure. If this machine cannot store the file nobody else is asked.
 */
public final class RegionFiles {

    private final WorkerClient client;
    private final Supplier<WorkerSet> workers;
    private final RegionFilesConfig config;
    private final SuspectWorkers suspects;
    private final Probes probes;

    /**
     * @param workers the region's as known now
     */
    public RegionFiles(WorkerClient client, Supplier<WorkerSet> workers, RegionFilesConfig config) {
        this.client = client;
        this.workers = workers;
        this.config = config;
        this.suspects = new SuspectWorkers(config.reads().suspicion());
        this.probes = new Probes(client, config.reads().silence(), suspects);
    }

    /**
     * Downloads a manifest to {@code file}, which is overwritten; from any worker.
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
                            // Readers wait for it: also for a worker that is away for a moment, if
                            // there is no other.
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
     * Downloads the image of a mounted version to {@code file}, which is overwritten. The owner is
     * asked first, so that one worker writes an image for all nodes: it is placed like the first
     * chunk of a pack whose id is the manifest's digest. Who is asked writes the image if it does
     * not have it.
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
                        ErrorCode.UNAVAILABLE, "no worker is registered in this region");
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
