package dev.forebay.transfer;

import java.security.Security;

/**
 * How long this process believes what name servers say.
 *
 * <p>The JDK believes an address for 30 s, that there is none for 10 s, and forgets an address as
 * soon as name servers do not answer. A server that moves would so be missed for longer than reads
 * wait, and every server while name servers are away.
 */
public final class HostAddresses {

    private static final String SECONDS_BELIEVED = "5";
    private static final String SECONDS_MISSING = "1";
    private static final String SECONDS_WITHOUT_AN_ANSWER = "3600";

    private HostAddresses() {}

    /**
     * Sets the JDK's three times, unless its system properties {@code sun.net.inetaddr.…} do. For a
     * main method, before anything else: the JDK looks once.
     */
    public static void followMoves() {
        set("ttl", SECONDS_BELIEVED);
        set("negative.ttl", SECONDS_MISSING);
        set("stale.ttl", SECONDS_WITHOUT_AN_ANSWER);
    }

    private static void set(String name, String seconds) {
        Security.setProperty(
                "networkaddress.cache." + name,
                System.getProperty("sun.net.inetaddr." + name, seconds));
    }
}
