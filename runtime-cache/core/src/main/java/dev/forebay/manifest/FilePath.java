package dev.forebay.manifest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The path of a file below the root of a version, with {@code /} between its names.
 *
 * <p>Paths are ordered like a walk of the tree: by the first name that differs, in the order of its
 * UTF-8 bytes. All files of a folder are adjacent. Keys of a lake have another order, because
 * {@code .} sorts before {@code /}.
 */
public record FilePath(String text) implements Comparable<FilePath> {

    /** Sorts before every other path. */
    public static final FilePath NONE = new FilePath("");

    @Override
    public int compareTo(FilePath other) {
        return Arrays.compareUnsigned(ordered(), other.ordered());
    }

    /**
     * NUL sorts before all characters of names, so a name sorts before longer names that begin with
     * it.
     */
    private byte[] ordered() {
        return text.replace('/', '\0').getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return text;
    }
}
