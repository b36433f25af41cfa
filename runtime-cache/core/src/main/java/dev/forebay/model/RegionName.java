package dev.forebay.model;

import java.util.regex.Pattern;

/**
 * The name of a region: 1 to 63 characters of {@code a-z 0-9 -}, beginning and ending with a letter
 * or a digit.
 */
public record RegionName(String value) {

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    public RegionName {
        if (!NAME.matcher(value).matches()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "region '%s' must be 1 to 63 characters of a-z 0-9 -, beginning and ending with a letter or a digit"
                            .formatted(value));
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
