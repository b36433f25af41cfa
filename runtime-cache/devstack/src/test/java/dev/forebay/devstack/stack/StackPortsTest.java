package dev.forebay.devstack.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.server.EphemeralPorts;
import dev.forebay.devstack.server.Ports;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StackPortsTest {
    private static final List<String> REGIONS = List.of("ap-northeast-2", "us-east-1");

    @Test
    void theErrorNamesTheBusyPortItsUseItsHolderAndAFreeBase() throws Exception {
        int base = Ports.free();
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), base));

            assertThatThrownBy(() -> StackPorts.from(base).requireFree(REGIONS, 2))
                    .isInstanceOf(DevstackException.class)
                    .hasMessageContaining("Port %d, for the control plane, is in use", base)
                    .hasMessageContaining("by process %d (", ProcessHandle.current().pid())
                    .hasMessageContaining("(now %d; a stack takes 40 ports", base)
                    .extracting(Throwable::getMessage)
                    .satisfies(
                            message -> StackPorts.from(proposed(message)).requireFree(REGIONS, 2));
        }
    }

    /** Returns the base of forty free ports, because other stacks may use the default ports. */
    private static int freeBase() {
        return Stream.generate(Ports::free)
                .filter(port -> IntStream.range(port, port + 40).allMatch(Ports::isFree))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theErrorListsThreePortsAndCountsTheRest() throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        int base = freeBase();
        try (ServerSocket first = new ServerSocket(base, 1, here);
                ServerSocket second = new ServerSocket(base + 1, 1, here);
                ServerSocket third = new ServerSocket(base + 2, 1, here);
                ServerSocket fourth = new ServerSocket(base + 3, 1, here)) {
            assertThatThrownBy(() -> StackPorts.from(base).requireFree(REGIONS, 2))
                    .hasMessageContaining("Port %d,", third.getLocalPort())
                    .hasMessageContaining("And 1 more.")
                    .hasMessageNotContaining("Port " + fourth.getLocalPort());
            assertThat(first.isBound() && second.isBound()).isTrue();
        }
    }

    @Test
    void theErrorNamesTheProcessWhoseConnectionUsesThePort() throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 1, here);
                Socket connection = new Socket(here, server.getLocalPort())) {
            assertThatThrownBy(
                            () ->
                                    StackPorts.from(connection.getLocalPort())
                                            .requireFree(REGIONS, 2))
                    .hasMessageContaining("Port %d, for", connection.getLocalPort())
                    .hasMessageContaining("by process %d (", ProcessHandle.current().pid());
        }
    }

    @Test
    void requireFreeWaitsForAPortWhoseHolderIsEnding() throws Exception {
        int port = freeBase();
        // A process without its first thread shows no descriptors in /proc, but still has them.
        String program =
                """
                import ctypes, socket, sys, threading, time
                server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
                threading.Thread(target=time.sleep, args=(5,)).start()
                print(flush=True)
                ctypes.CDLL(None).pthread_exit(None)
                """;
        Process ending =
                new ProcessBuilder("python3", "-c", program, Integer.toString(port))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            assertThat(ending.inputReader().readLine()).isEmpty();
            await(() -> PortHolder.of(port).isEmpty());
            assertThat(Ports.isFree(port)).isFalse();

            StackPorts.from(port).requireFree(REGIONS, 2);

            assertThat(Ports.isFree(port)).isTrue();
        } finally {
            ending.destroyForcibly();
        }
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @Test
    void theWarningNamesPortsThatOutgoingConnectionsMayTake() {
        EphemeralPorts ephemeral = new EphemeralPorts(7_730, 50_000, Set.of());

        assertThat(StackPorts.from(7_600).warning(ephemeral, 2)).isEmpty();
        assertThat(StackPorts.from(7_690).warning(ephemeral, 2)).isEmpty();
        assertThat(StackPorts.free().warning(ephemeral, 2)).isEmpty();
        assertThat(StackPorts.from(7_700).warning(ephemeral, 2))
                .hasValueSatisfying(
                        warning ->
                                assertThat(warning)
                                        .contains("from 7730 to 50000", "(7700 to 7739)")
                                        .contains("ip_local_reserved_ports=7700-7739"))
                .map(StackPortsTest::proposed)
                .map(base -> StackPorts.from(base).warning(ephemeral, 2))
                .hasValue(Optional.empty());
    }

    @Test
    void reservedPortsCauseNoWarning() {
        Set<Integer> reserved = IntStream.range(7_700, 7_740).boxed().collect(Collectors.toSet());

        assertThat(StackPorts.from(7_700).warning(new EphemeralPorts(1_024, 65_535, reserved), 2))
                .isEmpty();
    }

    @Test
    void eachProcessKeepsItsPort() {
        StackPorts ports = StackPorts.free();

        assertThat(ports.worker(1, 0))
                .isEqualTo(ports.worker(1, 0))
                .isNotEqualTo(ports.worker(0, 0));
        assertThat(ports.api()).isEqualTo(ports.api()).isNotEqualTo(ports.agent(0));
    }

    @Test
    void thePortsOfRegionsDoNotOverlap() {
        StackPorts ports = StackPorts.from(7700);

        assertThat(ports.api()).isEqualTo(7700);
        assertThat(ports.etcd(0)).isEqualTo(7720);
        assertThat(ports.worker(0, 5)).isLessThan(ports.etcd(1));
    }

    private static int proposed(String message) {
        Matcher base = Pattern.compile("FOREBAY_PORT_BASE=(\\d+)").matcher(message);
        assertThat(base.find()).isTrue();
        return Integer.parseInt(base.group(1));
    }

    @Test
    void aPortBaseBelow1024IsRejected() {
        assertThatThrownBy(() -> StackPorts.from(80)).hasMessageContaining("The first port is 80");
    }
}
