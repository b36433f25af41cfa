package dev.forebay.model;

import java.util.regex.Pattern;

/**
 * The name of a Kubernetes node: 1 to 253 characters of {@code a-z 0-9 . -}, beginning and ending
 * with a letter or a digit.
 */
public record NodeName(String value) {

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");

    public NodeName {
        if (!NAME.matcher(value).matches()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "node '%s' must be 1 to 253 characters of a-z 0-9 . -, beginning and ending with a letter or a digit"
                            .formatted(value));
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
