package dev.forebay.model;

import java.util.regex.Pattern;

/**
 * An immutable snapshot of a dataset, {@code namespace/name@version}.
 *
 * <p>The version part is 1 to 127 characters of {@code A-Z a-z 0-9 . _ -} and begins with a letter
 * or a digit.
 */
public record DatasetVersion(DatasetName dataset, String version) {

    private static final Pattern VERSION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,126}");

    public DatasetVersion {
        if (!VERSION.matcher(version).matches()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    ("version '%s' must be 1 to 127 characters of A-Z a-z 0-9 . _ -, beginning with a letter or a"
                                    + " digit")
                            .formatted(version));
        }
    }

    public static DatasetVersion of(String namespace, String name, String version) {
        return new DatasetVersion(new DatasetName(namespace, name), version);
    }

    /**
     * Parses {@code namespace/name@version}, the form that {@link #toString} prints.
     *
     * @throws ForebayException with {@link ErrorCode#INVALID_ARGUMENT} if the text is not of that
     *     form
     */
    public static DatasetVersion parse(String text) {
        int at = text.indexOf('@');
        if (at < 0) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "dataset version '%s' must have the form namespace/name@version"
                            .formatted(text));
        }
        return new DatasetVersion(DatasetName.parse(text.substring(0, at)), text.substring(at + 1));
    }

    /**
     * Returns the path of this version below every mount and in every etcd key: {@code
     * namespace/name/version}.
     */
    public String path() {
        return dataset + "/" + version;
    }

    @Override
    public String toString() {
        return dataset + "@" + version;
    }
}
