package dev.forebay.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HostAddressesTest {

    private static final List<String> TIMES = List.of("ttl", "negative.ttl", "stale.ttl");

    private final List<String> before = new ArrayList<>();

    @BeforeEach
    void remember() {
        TIMES.forEach(name -> before.add(value(name)));
    }

    @AfterEach
    void putBack() {
        for (int i = 0; i < TIMES.size(); i++) {
            Security.setProperty("networkaddress.cache." + TIMES.get(i), before.get(i));
            System.clearProperty("sun.net.inetaddr." + TIMES.get(i));
        }
    }

    @Test
    void anAddressIsAskedForAgainAfterSecondsAndKeptWhileNobodyAnswers() {
        HostAddresses.followMoves();

        assertThat(TIMES).map(HostAddressesTest::value).containsExactly("5", "1", "3600");
    }

    @Test
    void theJdksOwnPropertiesComeFirst() {
        System.setProperty("sun.net.inetaddr.ttl", "60");
        System.setProperty("sun.net.inetaddr.stale.ttl", "0");

        HostAddresses.followMoves();

        assertThat(TIMES).map(HostAddressesTest::value).containsExactly("60", "1", "0");
    }

    private static String value(String name) {
        String value = Security.getProperty("networkaddress.cache." + name);
        return value == null ? "" : value;
    }
}
