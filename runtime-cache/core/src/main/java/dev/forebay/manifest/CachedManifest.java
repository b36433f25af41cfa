package dev.forebay.manifest;

import java.nio.file.Path;

/** A manifest that a {@link ManifestCache} keeps for as long as this is open. */
public interface CachedManifest extends Manifest {

    /** The verified local copy, there until this is closed. */
    Path file();
}
