package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The order in which the pieces of a chunk are fetched: first the bytes that a reader waits for,
 * then the rest.
 *
 * @param first the pieces to store as soon as they arrive; all pieces if a division does not pay
 * @param rest the pieces that no reader waits for
 */
record FetchOrder(List<ChunkContents.Piece> first, List<ChunkContents.Piece> rest) {

    /** Fetching a little more than requested costs no time, and the next read finds it present. */
    private static final int LEAST = 1 << 20;

    private static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;

    /**
     * Divides pieces. A whole object is not divided, so that its checksum can be compared.
     *
     * @param from start, within the chunk, of the bytes that a reader waits for
     */
    static FetchOrder of(List<ChunkContents.Piece> missing, int from, int to) {
        int begin = from / BLOCK * BLOCK;
        int end = Math.max(Math.ceilDiv(to, BLOCK) * BLOCK, begin + LEAST);
        List<ChunkContents.Piece> first = new ArrayList<>();
        List<ChunkContents.Piece> rest = new ArrayList<>();
        int restBytes = 0;
        for (ChunkContents.Piece piece : missing) {
            if (!piece.touches(begin, end)) {
                rest.add(piece);
                restBytes += piece.bytes();
            } else if (piece.whole()) {
                first.add(piece);
            } else {
                first.add(piece.within(begin, end));
                if (piece.from() < begin) {
                    rest.add(piece.within(piece.from(), begin));
                    restBytes += begin - piece.from();
                }
                if (end < piece.to()) {
                    rest.add(piece.within(end, piece.to()));
                    restBytes += piece.to() - end;
                }
            }
        }
        return first.isEmpty() || restBytes < LEAST
                ? new FetchOrder(missing, List.of())
                : new FetchOrder(first, rest);
    }

    /** Returns all pieces in the order in which they are fetched. */
    List<ChunkContents.Piece> all() {
        return Stream.concat(first.stream(), rest.stream()).toList();
    }
}
