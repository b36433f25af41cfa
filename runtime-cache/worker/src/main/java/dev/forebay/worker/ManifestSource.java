package dev.forebay.worker;

import dev.forebay.lake.Lake;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.net.URI;
import java.nio.file.Path;

/** Downloads manifests from Forebay's own bucket in the lake. */
final class ManifestSource {

    private final Lake lake;

    ManifestSource(Lake lake) {
        this.lake = lake;
    }

    /** Downloads the manifest to a file. The caller verifies its digest. */
    void fetch(ManifestRef ref, Path target) {
        URI uri = URI.create(ref.uri());
        if (!"s3".equals(uri.getScheme()) || uri.getHost() == null || uri.getPath().length() < 2) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "manifest URI '%s' must have the form s3://bucket/key".formatted(ref.uri()));
        }
        lake.download(uri.getHost(), uri.getPath().substring(1), target);
    }
}
