package dev.forebay.fuse.read;

import dev.forebay.model.Digest;
import dev.forebay.model.PackId;

/**
 * Identifies a piece of a pack: 1 MiB, the last one shorter.
 *
 * @param manifest the version that it was read for: in a shared pack, it may lack the objects of
 *     other versions
 */
record PieceKey(Digest manifest, PackId pack, int index) {

    /** Divides a chunk, and is a multiple of a checksum block. */
    static final int BYTES = 1 << 20;

    static PieceKey at(Digest manifest, PackId pack, long offset) {
        return new PieceKey(manifest, pack, Math.toIntExact(offset / BYTES));
    }

    long start() {
        return (long) index * BYTES;
    }

    long end(long packBytes) {
        return Math.min(start() + BYTES, packBytes);
    }
}
