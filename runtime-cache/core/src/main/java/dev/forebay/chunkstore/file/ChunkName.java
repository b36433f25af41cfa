package dev.forebay.chunkstore.file;

import dev.forebay.model.ChunkId;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The name of a chunk's file in the directory of its pack. It is the index of the chunk. {@code
 * .last} follows if the chunk is shorter than 8 MiB, and {@code .part} if some blocks are not
 * valid. Only the last chunk of a pack can be short, so a start opens at most one file of each
 * pack.
 */
public record ChunkName(int index, boolean last, boolean complete) {

    private static final String LAST = ".last";
    private static final String PART = ".part";

    public static ChunkName of(int index, ValidBlocks valid) {
        return new ChunkName(index, valid.chunkBytes() < ChunkId.CHUNK_BYTES, valid.complete());
    }

    /** Returns the names that a chunk's file can have, the most common first. */
    public static List<ChunkName> all(int index) {
        return Stream.of(false, true)
                .flatMap(
                        last ->
                                Stream.of(true, false)
                                        .map(complete -> new ChunkName(index, last, complete)))
                .toList();
    }

    /** Parses the name of a file. Returns null if it is not the name of a chunk file. */
    public static @Nullable ChunkName parse(String name) {
        int end = name.length();
        boolean complete = !name.endsWith(PART);
        end -= complete ? 0 : PART.length();
        boolean last = name.startsWith(LAST, end - LAST.length());
        end -= last ? LAST.length() : 0;
        if (end == 0 || end > 9 || (end > 1 && name.charAt(0) == '0')) {
            return null;
        }
        int index = 0;
        for (int i = 0; i < end; i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return null;
            }
            index = 10 * index + digit;
        }
        return new ChunkName(index, last, complete);
    }

    @Override
    public String toString() {
        return index + (last ? LAST : "") + (complete ? "" : PART);
    }
}
