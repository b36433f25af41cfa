package dev.forebay.manifest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The path of a file below the root of a version, with {@code /} between its names.
 *
 * <p>Ordered as the tree is: by the first name that differs, in the order of its UTF-8 bytes, so
 * that all files of a folder come together. Keys of a lake are not, for {@code .} is before {@code
 * /}.
 */
public record FilePath(String text) implements Comparable<FilePath> {

    /** Before every other one. */
    public static final FilePath NONE = new FilePath("");

    @Override
    public int compareTo(FilePath other) {
        return Arrays.compareUnsigned(ordered(), other.ordered());
    }

    /** No name contains a NUL, so that what ends first comes first. */
    private byte[] ordered() {
        return text.replace('/', '\0').getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return text;
    }
}
