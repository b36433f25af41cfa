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
    void theStackBypassesTheProxyOfTheMachine() {
        String local = "localhost,127.0.0.1,::1";
        assertThat(with(Map.of())).isEqualTo(Map.of("no_proxy", local, "NO_PROXY", local));
        String all = ".example.com," + local;
        assertThat(with(Map.of("NO_PROXY", ".example.com")))
                .isEqualTo(Map.of("no_proxy", all, "NO_PROXY", all));
        assertThat(with(Map.of("no_proxy", ".example.com", "NO_PROXY", "other")))
                .isEqualTo(Map.of("no_proxy", all, "NO_PROXY", all));
    }

    @Test
    void theStacksLakeReplacesTheCredentialsOfTheMachine() {
        Map<String, String> machine =
                Map.of("AWS_ACCESS_KEY_ID", "other", "AWS_PROFILE", "work", "PATH", "/bin");
        Map<String, String> own = new HashMap<>(machine);
        InRegion.addLake(
                own,
                new Addresses(
                        Map.of(
                                "lake", "http://127.0.0.1:1",
                                "lake.region", "eu",
                                "lake.credentials", "/key")));
        assertThat(own)
                .isEqualTo(
                        Map.of(
                                "PATH", "/bin",
                                "AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1",
                                "AWS_DEFAULT_REGION", "eu",
                                "AWS_SHARED_CREDENTIALS_FILE", "/key"));
    }

    @Test
    void anExternalLakeUsesTheCredentialsOfTheMachine() {
        Map<String, String> machine = new HashMap<>(Map.of("AWS_ACCESS_KEY_ID", "mine"));
        InRegion.addLake(machine, new Addresses(Map.of("lake", "https://s3.example")));
        assertThat(machine)
                .isEqualTo(
                        Map.of(
                                "AWS_ACCESS_KEY_ID", "mine",
                                "AWS_ENDPOINT_URL_S3", "https://s3.example"));
    }
}
