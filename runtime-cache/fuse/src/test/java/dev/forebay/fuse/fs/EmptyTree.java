package dev.forebay.fuse.fs;

import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;

/** A view of a region without mounts. */
public final class EmptyTree {

    private EmptyTree() {}

    /**
     * Creates a view.
     *
     * @param directory the directory for manifests, which stays empty
     */
    public static FileSystemView in(Path directory) {
        ManifestCache manifests =
                new ManifestCache(
                        directory,
                        1 << 20,
                        (_, _) -> {
                            throw noWorker();
                        });
        return new PortableView(
                new Manifests(manifests),
                (_, _, _, _, _) -> {
                    throw noWorker();
                },
                1,
                InodeNumbers.unkept(),
                0);
    }

    private static ForebayException noWorker() {
        return new ForebayException(ErrorCode.UNAVAILABLE, "no worker");
    }
}
