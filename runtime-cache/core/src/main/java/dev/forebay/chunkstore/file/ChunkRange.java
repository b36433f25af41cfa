package dev.forebay.chunkstore.file;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;

/**
 * Bytes {@code [from, to)} of a chunk.
 *
 * @param from the first byte, from 0
 * @param to one past the last byte, not less than {@code from}
 */
public record ChunkRange(int from, int to) {

    public ChunkRange {
        if (from < 0 || to < from) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "not a range of bytes: [%d, %d)".formatted(from, to));
        }
    }
}
