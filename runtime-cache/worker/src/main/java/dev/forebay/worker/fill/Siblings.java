package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.Sibling;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Sibling regions as a source of chunks. Safe for use by many threads. */
public interface Siblings {

    /**
     * Fills {@code target} completely with verified bytes {@code [from, from + target.remaining())}
     * of the chunk. Asks the regions that the version may be filled from, and uses the first one
     * that holds everything that the manifest has there.
     *
     * @param from relative to the start of the chunk; a multiple of 64 KiB
     * @return the region that sent the bytes; if empty, the target's bytes are undefined
     */
    Optional<Sibling> fetch(
            Digest manifest, ChunkId chunk, int from, ByteBuffer target, Urgency urgency);

    /** Returns a source without any region. */
    static Siblings none() {
        return (manifest, chunk, from, target, urgency) -> Optional.empty();
    }
}
