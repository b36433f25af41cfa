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
record Stages(List<Need.Piece> first, List<Need.Piece> rest) {

    /** Fetching a little more than requested costs no time, and the next read finds it present. */
    private static final int LEAST = 1 << 20;

    private static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;

    /**
     * Divides pieces. A whole object is not divided, so that its checksum can be compared.
     *
     * @param from start, within the chunk, of the bytes that a reader waits for
     */
    static Stages of(List<Need.Piece> missing, int from, int to) {
        int begin = from / BLOCK * BLOCK;
        int end = Math.max(Math.ceilDiv(to, BLOCK) * BLOCK, begin + LEAST);
        List<Need.Piece> first = new ArrayList<>();
        List<Need.Piece> rest = new ArrayList<>();
        int restBytes = 0;
        for (Need.Piece piece : missing) {
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
                ? new Stages(missing, List.of())
                : new Stages(first, rest);
    }

    /** Returns all pieces in the order in which they are fetched. */
    List<Need.Piece> all() {
        return Stream.concat(first.stream(), rest.stream()).toList();
    }
}
