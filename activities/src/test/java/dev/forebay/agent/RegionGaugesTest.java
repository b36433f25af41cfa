package dev.forebay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.workers.FakeWorkers;
import dev.forebay.agent.workers.MeteredWorkers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class RegionGaugesTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final FakeWorkers workers = new FakeWorkers().with("a", "b", "c");
    private boolean connected = true;

    @Test
    void aDisconnectedWorkerCountsAsAbsentUntilItIsRemoved() {
        RegionGauges.show(workers::view, () -> connected, registry);
        assertThat(count("live")).isEqualTo(3);
        assertThat(count("absent")).isZero();

        workers.down("b");
        assertThat(count("live")).isEqualTo(2);
        assertThat(count("absent")).isEqualTo(1);

        workers.remove("b");
        assertThat(count("live")).isEqualTo(2);
        assertThat(count("absent")).isZero();
    }

    @Test
    void aGaugeShowsWhetherEtcdIsConnected() {
        RegionGauges.show(workers::view, () -> connected, registry);
        assertThat(registry.get("forebay.agent.etcd.connected").gauge().value()).isEqualTo(1);

        connected = false;
        assertThat(registry.get("forebay.agent.etcd.connected").gauge().value()).isZero();
    }

    @Test
    void theCounterOfRemovedWorkersExistsBeforeTheFirstRemoval() {
        MeteredWorkers metered = new MeteredWorkers(workers, registry);
        assertThat(removed()).isZero();

        metered.remove("a");

        assertThat(removed()).isEqualTo(1);
    }

    private double removed() {
        return registry.get("forebay.agent.workers.removed").counter().count();
    }

    private double count(String state) {
        return registry.get("forebay.agent.workers").tag("state", state).gauge().value();
    }
}
