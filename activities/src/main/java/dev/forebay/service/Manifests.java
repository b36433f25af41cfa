package dev.forebay.service;

import dev.forebay.lake.Lake;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Produces the cache of manifests that this process reads. */
@Singleton
class Manifests {

    private static final Pattern URI = Pattern.compile("s3://([^/]+)/(.+)");

    @Produces
    @Singleton
    ManifestCache cache(Workspace workspace, Lake lake, ServiceConfig config) {
        return new ManifestCache(
                workspace.folder("manifests"),
                config.manifestCache().asLongValue(),
                (manifest, target) -> fetch(lake, manifest, target));
    }

    private static void fetch(Lake lake, ManifestRef manifest, Path target) {
        Matcher uri = URI.matcher(manifest.uri());
        if (!uri.matches()) {
            throw new ForebayException(
                    ErrorCode.INTERNAL, "manifest %s is not in an S3 bucket".formatted(manifest));
        }
        lake.download(uri.group(1), uri.group(2), target);
    }
}
