package dev.forebay.manifest.write;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ShownText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The path of a lake key in a version's tree.
 *
 * @param components from the root down; empty for the marker of the root itself
 * @param directory whether the key is a directory marker, which ends in {@code /}
 */
record KeyPath(List<String> components, boolean directory) {

    private static final int MAX_NAME_BYTES = 255;

    /**
     * 64 TiB, while S3 objects have at most 50 TB. The limit bounds the manifest, which has a row
     * for each 8 MiB of an object.
     */
    static final long MOST_BYTES = 1L << 46;

    /**
     * Splits the part of {@code key} after {@code prefix} at {@code /}.
     *
     * @param size the size in the listing, which may be invalid
     * @throws ForebayException with {@code INVALID_KEY}, whose message names the key and the
     *     problem
     */
    static KeyPath of(String prefix, String key, long size) {
        if (!key.startsWith(prefix)) {
            throw invalid(key, "is not below the prefix");
        }
        if (size < 0 || size > MOST_BYTES) {
            throw invalid(key, "has %d bytes and must have 0 to %d".formatted(size, MOST_BYTES));
        }
        boolean marker = key.endsWith("/");
        if (marker && size > 0) {
            throw invalid(key, "ends in / but has bytes");
        }
        if (key.length() == prefix.length()) {
            if (marker) {
                return new KeyPath(List.of(), true);
            }
            throw invalid(key, "has no name below the prefix");
        }
        int end = marker ? key.length() - 1 : key.length();
        List<String> components = new ArrayList<>();
        for (int at = prefix.length(); at <= end; ) {
            int slash = key.indexOf('/', at);
            int stop = slash < 0 || slash > end ? end : slash;
            components.add(requireName(key, key.substring(at, stop)));
            at = stop + 1;
        }
        return new KeyPath(components, marker);
    }

    private static String requireName(String key, String name) {
        if (name.isEmpty()) {
            throw invalid(key, "has an empty component");
        }
        if (name.equals(".") || name.equals("..")) {
            throw invalid(key, "has a component " + name);
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == 0) {
                throw invalid(key, "has a NUL byte");
            }
            if (Character.isSurrogate(c)) {
                if (!Character.isHighSurrogate(c)
                        || i + 1 == name.length()
                        || !Character.isLowSurrogate(name.charAt(i + 1))) {
                    throw invalid(key, "is not valid Unicode");
                }
                i++;
            }
        }
        // A UTF-16 unit has at most three bytes in UTF-8, so short names need no encoding.
        if (name.length() > MAX_NAME_BYTES / 3
                && name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
            throw invalid(key, "has a component of more than 255 bytes");
        }
        return name;
    }

    /** Returns the error for an invalid key. */
    static ForebayException invalid(String key, String why) {
        return new ForebayException(
                ErrorCode.INVALID_KEY, "'%s' %s".formatted(ShownText.of(key), why));
    }
}
