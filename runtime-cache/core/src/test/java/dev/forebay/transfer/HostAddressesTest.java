package dev.forebay.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.Security;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HostAddressesTest {

    private static final String MISSING = "networkaddress.cache.negative.ttl";

    private final Properties before = (Properties) System.getProperties().clone();
    private final String missingBefore = Security.getProperty(MISSING);

    @AfterEach
    void putBack() {
        System.setProperties(before);
        Security.setProperty(MISSING, missingBefore);
    }

    @Test
    void addressesAreCachedForSecondsAndKeptWhileLookupsFail() {
        HostAddresses.followMoves();

        assertTimes("5", "1", "3600");
    }

    @Test
    void jdkPropertiesTakePrecedence() {
        System.setProperty("sun.net.inetaddr.ttl", "60");
        System.setProperty("sun.net.inetaddr.negative.ttl", "2");
        System.setProperty("sun.net.inetaddr.stale.ttl", "0");

        HostAddresses.followMoves();

        assertTimes("60", "2", "0");
    }

    private static void assertTimes(String believed, String missing, String stale) {
        assertThat(System.getProperty("sun.net.inetaddr.ttl")).isEqualTo(believed);
        assertThat(System.getProperty("networkaddress.cache.ttl")).as("gRPC").isEqualTo(believed);
        assertThat(Security.getProperty(MISSING)).isEqualTo(missing);
        assertThat(System.getProperty("sun.net.inetaddr.stale.ttl")).isEqualTo(stale);
        assertThat(Security.getProperty("networkaddress.cache.ttl"))
                .as("it would take precedence over the system property")
                .isNull();
        assertThat(Security.getProperty("networkaddress.cache.stale.ttl")).isNull();
    }
}
