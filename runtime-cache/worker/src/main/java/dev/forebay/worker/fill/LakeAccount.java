package dev.forebay.worker.fill;

import dev.forebay.model.Digest;

/** Keeps what the lake gave for a manifest. Implementations never throw. */
@FunctionalInterface
public interface LakeAccount {

    /**
     * Bytes came from the lake for a version with this manifest. Told before they are stored, so
     * that no chunk is here whose cost is not known, whenever the process is killed.
     */
    void took(Digest manifest, long bytes);
}
