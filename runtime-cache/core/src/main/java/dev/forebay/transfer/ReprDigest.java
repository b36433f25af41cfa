package dev.forebay.transfer;

import dev.forebay.model.Digest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Encodes and parses the SHA-256 of a whole answer as the {@code Repr-Digest} header of RFC 9530.
 */
public final class ReprDigest {

    public static final String HEADER = "Repr-Digest";

    private static final Pattern SHA_256 = Pattern.compile("\\bsha-256=:([A-Za-z0-9+/]{43}=):");

    private ReprDigest() {}

    /** Returns the header's value. */
    public static String of(Digest digest) {
        byte[] bytes = HexFormat.of().parseHex(digest.hex());
        return "sha-256=:" + Base64.getEncoder().encodeToString(bytes) + ":";
    }

    /** Returns the SHA-256 in a header's value, or empty if it has none. */
    static Optional<Digest> parse(String value) {
        Matcher digest = SHA_256.matcher(value);
        return digest.find()
                ? Optional.of(
                        new Digest(
                                HexFormat.of()
                                        .formatHex(Base64.getDecoder().decode(digest.group(1)))))
                : Optional.empty();
    }
}
