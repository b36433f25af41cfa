package dev.forebay.transfer;

import java.security.Security;

/**
 * How long this process believes what name servers say.
 *
 * <p>The JDK believes an address for 30 s, that there is none for 10 s, and forgets an address as
 * soon as name servers do not answer; gRPC believes one for 30 s, too. A server that moves would so
 * be missed for longer than reads wait, and every server while name servers are away.
 */
public final class HostAddresses {

    /** A system property of gRPC, which has the name of a security property of the JDK. */
    private static final String GRPC_SECONDS_BELIEVED = "networkaddress.cache.ttl";

    private static final String PREFIX = "sun.net.inetaddr.";
    private static final String SECONDS_BELIEVED = "5";
    private static final String SECONDS_MISSING = "1";
    private static final String SECONDS_WITHOUT_AN_ANSWER = "3600";

    private HostAddresses() {}

    /**
     * Sets the JDK's three times, and the one of gRPC's own to the JDK's, unless its system
     * properties {@code sun.net.inetaddr.…} do. For a main method, before anything else: the JDK
     * looks once.
     */
    public static void followMoves() {
        System.getProperties().putIfAbsent(PREFIX + "ttl", SECONDS_BELIEVED);
        System.getProperties().putIfAbsent(PREFIX + "stale.ttl", SECONDS_WITHOUT_AN_ANSWER);
        System.setProperty(GRPC_SECONDS_BELIEVED, System.getProperty(PREFIX + "ttl"));
        // This one has a security property, which comes before the other. To set it is an event
        // that may be logged, and a log may ask for this machine's address: so it is set last.
        Security.setProperty(
                "networkaddress.cache.negative.ttl",
                System.getProperty(PREFIX + "negative.ttl", SECONDS_MISSING));
    }
}
