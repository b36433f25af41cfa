package dev.forebay.fuse.read;

import dev.forebay.manifest.ManifestCache;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerSet;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/** Fetches manifests from the region's workers, asking each live one once, in any order. */
public final class ManifestFetcher implements ManifestCache.Fetcher {

    private final WorkerClient client;
    private final Supplier<WorkerSet> workers;

    public ManifestFetcher(WorkerClient client, Supplier<WorkerSet> workers) {
        this.client = client;
        this.workers = workers;
    }

    @Override
    public void fetch(ManifestRef ref, Path target) {
        WorkerSet known = workers.get();
        List<WorkerNode> candidates = new ArrayList<>(known.registered());
        candidates.removeIf(worker -> !known.live().contains(worker.id()));
        if (candidates.isEmpty()) {
            candidates.addAll(known.registered());
        }
        Collections.shuffle(candidates);
        ForebayException last =
                new ForebayException(
                        ErrorCode.UNAVAILABLE, "no worker is registered in this region");
        for (WorkerNode worker : candidates) {
            try {
                client.manifest(worker, ref.digest(), target);
                return;
            } catch (ForebayException e) {
                last = e;
            }
        }
        throw last;
    }
}
