package dev.forebay.model;

import java.net.URI;

/**
 * Another region as a source of bytes.
 *
 * @param gateway the base address of its agent's gateway: {@code http} or {@code https}, a host,
 *     and no user, for it is kept where many read it
 * @param onPremises whether it is a site of one's own, whose bytes have a price of their own
 */
public record Sibling(URI gateway, boolean onPremises) {

    /** So many are asked for a version's bytes at most. */
    public static final int MOST = 4;

    public Sibling {
        String scheme = gateway.getScheme();
        if (!("http".equals(scheme) || "https".equals(scheme))
                || gateway.getHost() == null
                || gateway.getRawUserInfo() != null) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the gateway of a region must have the form http://host:port, without a user");
        }
    }
}
