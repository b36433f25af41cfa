package dev.forebay.worker.fill;

import dev.forebay.chunkstore.file.ChunkRange;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Segment;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import java.util.List;
import java.util.OptionalLong;

/**
 * The objects of a version in one chunk, which a fill must bring.
 *
 * @param length the chunk's length in bytes
 * @param pieces the version's objects in the chunk, ordered by offset
 */
record ChunkContents(Digest digest, String bucket, ChunkId chunk, int length, List<Piece> pieces) {

    /** Answers whether a range of the chunk is present. */
    @FunctionalInterface
    interface Held {
        boolean holds(int from, int to);
    }

    /**
     * The part of an object that lies in the chunk.
     *
     * @param from its first byte, relative to the start of the chunk
     * @param to its end, exclusive
     * @param objectOffset where this part starts in the object
     */
    record Piece(Segment segment, int from, int to, long objectOffset) {

        int bytes() {
            return to - from;
        }

        ChunkRange range() {
            return new ChunkRange(from, to);
        }

        /**
         * Returns the part of this piece within {@code [otherFrom, otherTo)}. The two must overlap.
         */
        Piece within(int otherFrom, int otherTo) {
            int begin = Math.max(from, otherFrom);
            return new Piece(segment, begin, Math.min(to, otherTo), objectOffset + begin - from);
        }

        /**
         * Returns whether the piece is a whole object, so that its checksum from the lake can be
         * compared.
         */
        boolean whole() {
            return bytes() == segment.size();
        }

        boolean touches(int otherFrom, int otherTo) {
            return from < otherTo && otherFrom < to;
        }
    }

    static ChunkContents of(Digest digest, Manifest manifest, ChunkId chunk, int length) {
        long start = chunk.start();
        List<Piece> pieces =
                manifest.segments(chunk).stream()
                        .map(segment -> piece(segment, start, length))
                        .toList();
        return new ChunkContents(digest, manifest.bucket(), chunk, length, pieces);
    }

    private static Piece piece(Segment segment, long start, int length) {
        long from = Math.max(segment.packOffset(), start);
        long to = Math.min(segment.packOffset() + segment.size(), start + length);
        return new Piece(
                segment, (int) (from - start), (int) (to - start), from - segment.packOffset());
    }

    /**
     * Returns the end, in the pack, of the object that touches {@code [from, to)} and continues
     * behind the chunk.
     */
    OptionalLong fileGoingOn(int from, int to) {
        return pieces.stream()
                .filter(piece -> piece.touches(from, to))
                .mapToLong(piece -> piece.segment().packOffset() + piece.segment().size())
                .filter(end -> end > chunk.start() + length)
                .findFirst();
    }

    /** Returns the number of bytes in the chunk that belong to objects of the version. */
    int liveBytes() {
        return pieces.stream().mapToInt(Piece::bytes).sum();
    }

    /** Returns the pieces that are not completely present. */
    List<Piece> missing(Held held) {
        return pieces.stream().filter(piece -> !held.holds(piece.from, piece.to)).toList();
    }

    /** Returns whether everything that the version has in bytes {@code [from, to)} is present. */
    boolean satisfied(Held held, int from, int to) {
        return pieces.stream()
                .filter(piece -> piece.touches(from, to))
                .allMatch(piece -> held.holds(Math.max(piece.from, from), Math.min(piece.to, to)));
    }
}
