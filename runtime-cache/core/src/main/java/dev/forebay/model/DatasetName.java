package dev.forebay.model;

import java.util.regex.Pattern;

/**
 * The name of a dataset, {@code namespace/name}.
 *
 * <p>Each part is 1 to 63 characters of {@code a-z 0-9 . _ -} and begins and ends with a letter or
 * a digit. A name is therefore valid, without escaping, as a directory, as part of an etcd key and
 * as part of a workflow id.
 */
public record DatasetName(String namespace, String name) {

    private static final int LONGEST = 63;
    private static final Pattern PART = Pattern.compile("[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?");

    public DatasetName {
        requirePart("namespace", namespace);
        requirePart("name", name);
    }

    /**
     * Parses {@code namespace/name}.
     *
     * @throws ForebayException with {@link ErrorCode#INVALID_ARGUMENT} if the text is not of that
     *     form
     */
    public static DatasetName parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0 || slash != text.lastIndexOf('/')) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "dataset '%s' must have the form namespace/name".formatted(text));
        }
        return new DatasetName(text.substring(0, slash), text.substring(slash + 1));
    }

    /** Returns a similar, valid name. Messages suggest it in commands that a person may edit. */
    public DatasetName another() {
        return new DatasetName(
                namespace, name.substring(0, Math.min(name.length(), LONGEST - 2)) + "-2");
    }

    private static void requirePart(String field, String value) {
        if (!PART.matcher(value).matches()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    ("%s '%s' must be 1 to 63 characters of a-z 0-9 . _ -, beginning and ending with a letter or a"
                                    + " digit")
                            .formatted(field, value));
        }
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
