package dev.forebay.worker.fill;

import dev.forebay.model.ChunkId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The order in which a chunk's pieces are asked for: what somebody waits for, and then the rest.
 *
 * @param first what is stored as soon as it is here; all pieces if it is not worth to divide them
 * @param rest what is not waited for
 */
record Stages(List<Need.Piece> first, List<Need.Piece> rest) {

    /** A little more than was asked for costs no time, and the next question finds it here. */
    private static final int LEAST = 1 << 20;

    private static final int BLOCK = ChunkId.CHECKSUM_BLOCK_BYTES;

    /**
     * Divides pieces. A whole object stays whole, so that its checksum can be compared.
     *
     * @param from where the bytes begin that somebody waits for, in the chunk
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

    /** All pieces, in this order. */
    List<Need.Piece> all() {
        return Stream.concat(first.stream(), rest.stream()).toList();
    }
}
