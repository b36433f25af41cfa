package dev.forebay.devstack.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InRegionTest {

    private static Map<String, String> with(Map<String, String> before) {
        Map<String, String> environment = new HashMap<>(before);
        InRegion.exceptThisMachine(environment);
        return environment;
    }

    @Test
    void aProxyOfTheMachineIsNotForTheStack() {
        String local = "localhost,127.0.0.1,::1";
        assertThat(with(Map.of())).isEqualTo(Map.of("no_proxy", local, "NO_PROXY", local));
        String all = ".example.com," + local;
        assertThat(with(Map.of("NO_PROXY", ".example.com")))
                .isEqualTo(Map.of("no_proxy", all, "NO_PROXY", all));
        assertThat(with(Map.of("no_proxy", ".example.com", "NO_PROXY", "other")))
                .isEqualTo(Map.of("no_proxy", all, "NO_PROXY", all));
    }
}
