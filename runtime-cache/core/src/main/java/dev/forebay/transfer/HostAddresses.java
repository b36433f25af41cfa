package dev.forebay.transfer;

import java.security.Security;

/**
 * Sets the times for which this process caches the answers of name servers.
 *
 * <p>By default, the JDK caches an address for 30 s, and a missing one for 10 s. It forgets an
 * address as soon as name servers do not answer. gRPC caches an address for 30 s, too. Readers
 * would thus miss a server that moves for longer than reads wait, and all servers while name
 * servers are away.
 */
public final class HostAddresses {

    /**
     * A system property of gRPC, in seconds, with the same name as a security property of the JDK.
     */
    private static final String GRPC_TTL_PROPERTY = "networkaddress.cache.ttl";

    private static final String PREFIX = "sun.net.inetaddr.";
    private static final String TTL_SECONDS = "5";
    private static final String MISSING_TTL_SECONDS = "1";
    private static final String STALE_TTL_SECONDS = "3600";

    private HostAddresses() {}

    /**
     * Sets the three cache times of the JDK, unless the system properties {@code
     * sun.net.inetaddr.…} set them. Sets the cache time of gRPC to that of the JDK. Call this first
     * in a main method, because the JDK reads the settings once.
     */
    public static void followMoves() {
        System.getProperties().putIfAbsent(PREFIX + "ttl", TTL_SECONDS);
        System.getProperties().putIfAbsent(PREFIX + "stale.ttl", STALE_TTL_SECONDS);
        System.setProperty(GRPC_TTL_PROPERTY, System.getProperty(PREFIX + "ttl"));
        // The JDK prefers the security property to the system property. It is set last: a change of
        // a security property may be logged, and a logger may look up this machine's address.
        Security.setProperty(
                "networkaddress.cache.negative.ttl",
                System.getProperty(PREFIX + "negative.ttl", MISSING_TTL_SECONDS));
    }
}
