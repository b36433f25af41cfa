package dev.forebay.control.api.versions;

import dev.forebay.model.ManifestRef;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The manifest of a version. */
@Schema(name = "Manifest")
record ManifestView(String digest, String uri, long objects, long bytes, long chunks) {

    public static @Nullable ManifestView of(@Nullable ManifestRef manifest) {
        return manifest == null
                ? null
                : new ManifestView(
                        manifest.digest().hex(),
                        manifest.uri(),
                        manifest.objects(),
                        manifest.bytes(),
                        manifest.chunks());
    }
}
