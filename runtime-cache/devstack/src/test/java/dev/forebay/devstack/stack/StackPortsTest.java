package dev.forebay.devstack.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.server.Ports;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

class StackPortsTest {
    private static final List<String> REGIONS = List.of("ap-northeast-2", "us-east-1");

    @Test
    void namesTheBusyPortItsUseItsHolderAndTheWayOut() throws Exception {
        int base = Ports.free();
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), base));

            assertThatThrownBy(() -> StackPorts.from(base).requireFree(REGIONS, 2))
                    .isInstanceOf(DevstackException.class)
                    .hasMessageContaining("Port %d, for the control plane, is in use", base)
                    .hasMessageContaining("by process %d (", ProcessHandle.current().pid())
                    .hasMessageContaining("FOREBAY_PORT_BASE=%d (now %d", base + 1000, base);
        }
    }

    @Test
    void keepsEveryPartOnItsPort() {
        StackPorts ports = StackPorts.free();

        assertThat(ports.worker(1, 0))
                .isEqualTo(ports.worker(1, 0))
                .isNotEqualTo(ports.worker(0, 0));
        assertThat(ports.api()).isEqualTo(ports.api()).isNotEqualTo(ports.agent(0));
    }

    @Test
    void givesRegionsPortsThatDoNotOverlap() {
        StackPorts ports = StackPorts.from(7700);

        assertThat(ports.api()).isEqualTo(7700);
        assertThat(ports.etcd(0)).isEqualTo(7720);
        assertThat(ports.worker(0, 5)).isLessThan(ports.etcd(1));
    }

    @Test
    void refusesAnOddBase() {
        assertThatThrownBy(() -> StackPorts.from(80))
                .hasMessageContaining("FOREBAY_PORT_BASE is 80");
    }
}
