package dev.forebay.worker.http;

import dev.forebay.image.ImageName;
import dev.forebay.image.ImageStore;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.transfer.ReprDigest;
import dev.forebay.worker.retention.MountedVersions;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;

/** Serves images of mounted versions, and writes them on first request. */
final class ImageRoutes {

    private final MountedVersions versions;
    private final ImageStore images;

    ImageRoutes(MountedVersions versions, ImageStore images) {
        this.versions = versions;
        this.images = images;
    }

    /** Handles {@code GET /v1/manifests/{m}/image?version=…}. */
    Callable<WorkerResponse> file(RoutingContext context) {
        Digest manifest = Parameters.manifestInPath(context);
        DatasetVersion version = Parameters.version(context);
        return () -> file(version, manifest);
    }

    private WorkerResponse file(DatasetVersion version, Digest manifest) throws IOException {
        try (MountedVersions.Use mounted = versions.use(version, manifest)) {
            ImageStore.Use image =
                    images.open(new ImageName(version, manifest), mounted.manifest().file());
            try {
                return new WorkerResponse.FileBytes(
                        200,
                        Map.of(
                                "Content-Type",
                                "application/octet-stream",
                                ReprDigest.HEADER,
                                ReprDigest.of(image.digest())),
                        image.file(),
                        0,
                        image.file().size(),
                        image);
            } catch (IOException e) {
                image.close();
                throw e;
            }
        }
    }
}
