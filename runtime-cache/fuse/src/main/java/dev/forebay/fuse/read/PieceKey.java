package dev.forebay.fuse.read;

import dev.forebay.model.Digest;
import dev.forebay.model.PackId;

/**
 * A piece of a pack: 1 MiB, the last one shorter.
 *
 * @param manifest the version it was read for: of another version's objects in a shared pack the
 *     piece may know nothing
 */
record PieceKey(Digest manifest, PackId pack, int index) {

    /** A divisor of a chunk, a multiple of a checksum block. */
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
