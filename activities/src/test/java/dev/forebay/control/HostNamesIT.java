package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.devstack.fault.NameServer;
import dev.forebay.devstack.fault.NamedHost;
import dev.forebay.testing.Api;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * "Host names" in docs/operations.md: a control plane that addresses PostgreSQL, Temporal, the lake
 * and an agent by name.
 */
@SuppressWarnings("NullAway.Init") // set before all tests
class HostNamesIT {

    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    @TempDir private static Path directory;
    private static final TestControlPlane platform = TestControlPlane.shared();
    private static NameServer names;
    private static List<NamedHost> hosts;
    private static ApplicationProcess process;
    private static Api api;

    @BeforeAll
    static void startBeforeTheNamesAreKnown() {
        Optional<NameServer> allowed = NameServer.startIfAllowed(directory);
        assumeTrue(allowed.isPresent(), "only root has a name server and a resolv.conf of its own");
        names = allowed.get();
        NamedHost database = host("database", platform.postgres.port());
        NamedHost temporal = host("temporal", port(platform.temporal.target()));
        NamedHost lake = host("lake", platform.lake.endpoint().getPort());
        NamedHost agent = host("agent", platform.gateway.address().getPort());
        hosts = List.of(database, temporal, lake, agent);
        Map<String, String> settings =
                Map.of(
                        "quarkus.datasource.jdbc.url",
                        platform.postgres
                                .jdbcUrl()
                                .replaceFirst("//[^:/]+", "//" + database.name()),
                        "forebay.temporal.target",
                        temporal.name() + ":" + port(platform.temporal.target()),
                        "forebay.lake.endpoint",
                        "http://" + lake.name() + ":" + platform.lake.endpoint().getPort(),
                        "forebay.regions." + REGION + ".agent",
                        "http://" + agent.name() + ":" + platform.gateway.address().getPort());
        CompletableFuture<ApplicationProcess> starting =
                CompletableFuture.supplyAsync(() -> platform.replica("named", settings, names));
        Await.until("it asks for its database", database::wasAskedFor);
        hosts.forEach(NamedHost::appear);
        process = starting.join();
        api = new Api(process.address().resolve("/api/v1"));
    }

    private static NamedHost host(String name, int port) {
        return NamedHost.of(names, name + ".forebay.test", port);
    }

    private static int port(String target) {
        return Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    }

    @BeforeEach
    void everyHostAppears() {
        names.goOn();
        hosts.forEach(NamedHost::appear);
    }

    @AfterAll
    static void close() {
        if (names != null) {
            process.close();
            hosts.forEach(NamedHost::close);
            names.close();
        }
    }

    @Test
    void theControlPlaneReconnectsWhileNameServersFail() {
        assertThat(ensured()).isEqualTo(200);
        names.fallSilent();
        hosts.forEach(NamedHost::breakConnections);

        assertEverythingIsReachedAgain();
    }

    @Test
    void theControlPlaneReconnectsToHostsAtNewAddresses() {
        assertThat(ensured()).isEqualTo(200);
        hosts.forEach(NamedHost::move);
        hosts.forEach(NamedHost::breakConnections);

        assertEverythingIsReachedAgain();
    }

    /** A request needs PostgreSQL, Temporal and the lake. A renewal needs the agent. */
    private static void assertEverythingIsReachedAgain() {
        Await.until("a request is done", () -> ensured() == 200);
        Await.until("a pin is renewed", () -> renewed() == 200);
    }

    private static int ensured() {
        String v = version(platform.dataset(3600), "v1");
        return api.post(v + "/ensure?wait_seconds=30", IN).status();
    }

    private static int renewed() {
        return api.post(version("any", "v1") + "/pins/alive-1/renew", IN).status();
    }
}
