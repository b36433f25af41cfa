package dev.forebay.transfer;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The secret that every request between Forebay's processes carries when {@code forebay.token-file}
 * is set. Immutable. {@link #toString} does not reveal it.
 */
public final class BearerToken {

    /** The request header that carries the token. */
    public static final String HEADER = "Authorization";

    private static final String SETTING = "forebay.token-file";
    private static final String SCHEME = "Bearer ";
    private static final int LEAST_CHARACTERS = 16;

    private final byte[] headerValue;

    private BearerToken(String secret) {
        this.headerValue = (SCHEME + secret).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads a token file. White space around the token is ignored.
     *
     * @param setting the name of the setting with the file, for the message
     * @throws ForebayException {@code INVALID_ARGUMENT} if the file cannot be read, or has fewer
     *     than 16 characters or characters other than visible ASCII
     */
    public static BearerToken read(String setting, Path file) {
        String secret;
        try {
            secret = Files.readString(file, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s: cannot read %s: %s".formatted(setting, file, e),
                    e);
        }
        if (secret.length() < LEAST_CHARACTERS
                || !secret.chars().allMatch(character -> character > ' ' && character < 0x7f)) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s: %s must contain at least %d visible ASCII characters"
                            .formatted(setting, file, LEAST_CHARACTERS));
        }
        return new BearerToken(secret);
    }

    /**
     * Reads the token if a file is given.
     *
     * @param file the value of {@code forebay.token-file}
     * @param listenHost the address that this process listens on
     * @throws ForebayException {@code INVALID_ARGUMENT} if there is no file although {@code
     *     listenHost} is not loopback
     */
    public static Optional<BearerToken> forListener(Optional<Path> file, String listenHost) {
        if (file.isEmpty() && !isLoopback(listenHost)) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s must be set to listen on %s, which is not loopback"
                            .formatted(SETTING, listenHost));
        }
        return file.map(given -> read(SETTING, given));
    }

    /** Returns the value of {@link #HEADER} in a request. */
    public String headerValue() {
        return new String(headerValue, StandardCharsets.US_ASCII);
    }

    /**
     * Returns whether a request with this {@link #HEADER} may pass. Takes constant time, so the
     * duration does not reveal where a wrong token differs.
     */
    public boolean admits(@Nullable String header) {
        return header != null
                && MessageDigest.isEqual(headerValue, header.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "BearerToken[…]";
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
