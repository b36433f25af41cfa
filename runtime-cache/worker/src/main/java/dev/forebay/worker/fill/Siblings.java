package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.Sibling;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Other regions, as a source of chunks. Safe for use by many threads. */
public interface Siblings {

    /**
     * Fills {@code target} completely with bytes {@code [from, from + target.remaining())} of the
     * chunk, verified, from the first region that holds all that the manifest has there, of those
     * that the version is to be filled from.
     *
     * @param from counted from the chunk's first byte; a multiple of 64 KiB
     * @return who gave them; if nobody did, the target's bytes are undefined
     */
    Optional<Sibling> fetch(
            Digest manifest, ChunkId chunk, int from, ByteBuffer target, Urgency urgency);

    /** Knows nobody. */
    static Siblings none() {
        return (manifest, chunk, from, target, urgency) -> Optional.empty();
    }
}
