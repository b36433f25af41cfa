package dev.forebay.model;

import java.net.URI;

/**
 * A sibling region: another region as a source of bytes.
 *
 * @param gateway the base address of its agent's gateway: {@code http} or {@code https}, a host,
 *     and no user, because many processes can read the stored address
 * @param onPremises whether the region is on premises, which has a price of its own for bytes
 */
public record Sibling(URI gateway, boolean onPremises) {

    /** The maximum number of siblings that a region asks for the bytes of a version. */
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
