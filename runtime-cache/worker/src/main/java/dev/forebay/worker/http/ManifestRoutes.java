package dev.forebay.worker.http;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.transfer.DropAnswer;
import dev.forebay.worker.accounts.VersionAccounts;
import dev.forebay.worker.fill.ChunkAccess;
import dev.forebay.worker.retention.ChunkDropper;
import dev.forebay.worker.retention.MountedVersions;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Serves manifests: their bytes, their coverage on this worker, and the removal of their chunks.
 */
final class ManifestRoutes {

    private static final int PAGE = 1_000;

    private final MountedVersions versions;
    private final ChunkAccess chunks;
    private final ChunkDropper dropper;
    private final VersionAccounts accounts;

    ManifestRoutes(
            MountedVersions versions,
            ChunkAccess chunks,
            ChunkDropper dropper,
            VersionAccounts accounts) {
        this.versions = versions;
        this.chunks = chunks;
        this.dropper = dropper;
        this.accounts = accounts;
    }

    /** Handles {@code GET /v1/manifests/{m}}. */
    Callable<WorkerResponse> file(RoutingContext context) {
        Digest manifest = Parameters.manifestInPath(context);
        return () -> file(manifest);
    }

    /** Handles {@code GET /v1/manifests/{m}/coverage}. */
    Callable<WorkerResponse> coverage(RoutingContext context) {
        Digest manifest = Parameters.manifestInPath(context);
        return () -> coverage(manifest);
    }

    /** Handles {@code DELETE /v1/manifests/{m}/chunks}. */
    Callable<WorkerResponse> drop(RoutingContext context) {
        Digest manifest = Parameters.manifestInPath(context);
        return () -> {
            DropAnswer answer = dropper.drop(manifest);
            return new WorkerResponse.Json(
                    new JsonObject()
                            .put("chunksDropped", answer.chunksDropped())
                            .put("bytesDropped", answer.bytesDropped()));
        };
    }

    private WorkerResponse file(Digest manifest) throws IOException {
        try (MountedVersions.Use use = versions.use(manifest)) {
            FileChannel file = FileChannel.open(use.manifest().file(), StandardOpenOption.READ);
            try {
                return new WorkerResponse.FileBytes(
                        200,
                        Map.of("Content-Type", "application/vnd.sqlite3"),
                        file,
                        0,
                        file.size(),
                        file);
            } catch (IOException e) {
                file.close();
                throw e;
            }
        }
    }

    private WorkerResponse coverage(Digest manifest) {
        try (MountedVersions.Use use = versions.use(manifest)) {
            ChunkAccess.Version version =
                    new ChunkAccess.Version(manifest, use.manifest(), () -> false);
            BitSet held = new BitSet();
            long liveBytes = 0;
            List<ChunkRef> page = use.manifest().chunks(0, PAGE);
            while (!page.isEmpty()) {
                for (ChunkRef ref : page) {
                    if (chunks.complete(version, ref)) {
                        held.set(Math.toIntExact(ref.ordinal()));
                        liveBytes += ref.liveBytes();
                    }
                }
                page = use.manifest().chunks(page.getLast().ordinal() + 1, PAGE);
            }
            return new WorkerResponse.Json(
                    new JsonObject()
                            .put("chunks", use.manifest().chunkCount())
                            .put("held", Base64.getEncoder().encodeToString(held.toByteArray()))
                            .put("liveBytes", liveBytes)
                            .put("bytesFromLake", byVersion(accounts.of(manifest)))
                            .put("bytesFromSiblings", byVersion(accounts.ofSiblings(manifest))));
        }
    }

    private static JsonObject byVersion(Map<DatasetVersion, Long> bytes) {
        JsonObject byVersion = new JsonObject();
        bytes.forEach((version, each) -> byVersion.put(version.toString(), each));
        return byVersion;
    }
}
