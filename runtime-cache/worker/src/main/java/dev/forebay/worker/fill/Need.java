package dev.forebay.worker.fill;

import dev.forebay.chunkstore.ByteRange;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Segment;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a version needs of a chunk.
 *
 * @param length the chunk's length in bytes
 * @param pieces the version's objects in it, by offset
 */
record Need(Digest digest, String bucket, ChunkId chunk, int length, List<Piece> pieces) {

    /** Says which bytes of the chunk are here. */
    @FunctionalInterface
    interface Held {
        boolean holds(int from, int to);
    }

    /**
     * The part of an object that lies in the chunk.
     *
     * @param from its first byte, counted from the chunk's first
     * @param to one after its last
     * @param objectOffset where that part begins in the object
     */
    record Piece(Segment segment, int from, int to, long objectOffset) {

        int bytes() {
            return to - from;
        }

        ByteRange range() {
            return new ByteRange(from, to);
        }

        /** The part of a piece within {@code [otherFrom, otherTo)}, which it touches. */
        Piece within(int otherFrom, int otherTo) {
            int begin = Math.max(from, otherFrom);
            return new Piece(segment, begin, Math.min(to, otherTo), objectOffset + begin - from);
        }

        /** Whether this is all of an object, so that the lake's checksum of it can be compared. */
        boolean whole() {
            return bytes() == segment.size();
        }

        boolean touches(int otherFrom, int otherTo) {
            return from < otherTo && otherFrom < to;
        }
    }

    static Need of(Digest digest, Manifest manifest, ChunkId chunk, int length) {
        long start = chunk.start();
        List<Piece> pieces =
                manifest.segments(chunk).stream()
                        .map(segment -> piece(segment, start, length))
                        .toList();
        return new Need(digest, manifest.bucket(), chunk, length, pieces);
    }

    private static Piece piece(Segment segment, long start, int length) {
        long from = Math.max(segment.packOffset(), start);
        long to = Math.min(segment.packOffset() + segment.size(), start + length);
        return new Piece(
                segment, (int) (from - start), (int) (to - start), from - segment.packOffset());
    }

    /**
     * Where the object ends in the pack that is in {@code [from, to)} and goes on behind the chunk.
     */
    OptionalLong fileGoingOn(int from, int to) {
        return pieces.stream()
                .filter(piece -> piece.touches(from, to))
                .mapToLong(piece -> piece.segment().packOffset() + piece.segment().size())
                .filter(end -> end > chunk.start() + length)
                .findFirst();
    }

    /** How many bytes of the version's objects lie in the chunk. */
    int liveBytes() {
        return pieces.stream().mapToInt(Piece::bytes).sum();
    }

    /** The pieces that are not held completely. */
    List<Piece> missing(Held held) {
        return pieces.stream().filter(piece -> !held.holds(piece.from, piece.to)).toList();
    }

    /** Whether all that the version has in bytes {@code [from, to)} is held. */
    boolean satisfied(Held held, int from, int to) {
        return pieces.stream()
                .filter(piece -> piece.touches(from, to))
                .allMatch(piece -> held.holds(Math.max(piece.from, from), Math.min(piece.to, to)));
    }
}
