package dev.forebay.model;

import java.util.regex.Pattern;

/** A SHA-256 digest as 64 lower-case hexadecimal characters. */
public record Digest(String hex) {

    private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");

    public Digest {
        if (!HEX.matcher(hex).matches()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "digest '%s' must be 64 lower-case hexadecimal characters".formatted(hex));
        }
    }

    /** The first 12 characters, enough to recognise a digest in a log line or a table. */
    public String abbreviated() {
        return hex.substring(0, 12);
    }

    @Override
    public String toString() {
        return hex;
    }
}
// x
