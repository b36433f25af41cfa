package dev.forebay.model;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
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

    /** Returns the SHA-256 digest of {@code content}. */
    public static Digest of(byte[] content) {
        try {
            return new Digest(
                    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("a Java platform without SHA-256", impossible);
        }
    }

    /** Returns the first 12 characters, enough to recognise a digest in a log line or a table. */
    public String abbreviated() {
        return hex.substring(0, 12);
    }

    @Override
    public String toString() {
        return hex;
    }
}
