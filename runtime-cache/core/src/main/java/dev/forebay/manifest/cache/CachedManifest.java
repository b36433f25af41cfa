package dev.forebay.manifest.cache;

import dev.forebay.manifest.Manifest;
import java.nio.file.Path;

/** An open manifest whose file a {@link ManifestCache} keeps until it is closed. */
public interface CachedManifest extends Manifest {

    /** Returns the verified local copy, which exists until this is closed. */
    Path file();
}
