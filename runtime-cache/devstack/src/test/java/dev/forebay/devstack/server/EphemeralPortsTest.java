package dev.forebay.devstack.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EphemeralPortsTest {
    @TempDir Path proc;

    @Test
    void theEphemeralRangeExcludesReservedPorts() throws Exception {
        EphemeralPorts ports = set("15000\t64000\n", "7700,20000-20039\n");

        assertThat(ports.contains(14_999)).isFalse();
        assertThat(ports.contains(15_000)).isTrue();
        assertThat(ports.contains(64_000)).isTrue();
        assertThat(ports.contains(64_001)).isFalse();
        assertThat(ports.contains(20_000)).isFalse();
        assertThat(ports.contains(20_039)).isFalse();
        assertThat(ports.contains(20_040)).isTrue();
    }

    @Test
    void theKernelDefaultAppliesIfTheFilesAreMissing() {
        EphemeralPorts ports = EphemeralPorts.in(proc);

        assertThat(ports.contains(32_767)).isFalse();
        assertThat(ports.contains(32_768)).isTrue();
        assertThat(ports.contains(60_999)).isTrue();
        assertThat(ports.contains(61_000)).isFalse();
    }

    @Test
    void testsGetPortsOutsideTheEphemeralRangeIfThereAreAny() throws Exception {
        assertThat(Ports.candidates(set("32768 60999", ""))).hasSize(12_000).startsWith(20_000);

        EphemeralPorts most = set("10000 64535", "");
        assertThat(Arrays.stream(Ports.candidates(most)))
                .hasSize(9_976)
                .allMatch(port -> port >= 1_024 && !most.contains(port));

        assertThat(Ports.candidates(set("1024 65535", ""))).hasSize(12_000);
        int[] reserved = Ports.candidates(set("1024 65535", "22000-23999"));
        assertThat(Arrays.stream(reserved)).hasSize(2_000).startsWith(22_000);
    }

    @Test
    void freePortsComeFromTheCandidatesOfThisMachine() {
        EphemeralPorts ports = EphemeralPorts.ofThisMachine();

        assertThat(ports.first()).isBetween(1, ports.last());
        int given = Ports.free();
        assertThat(Ports.candidates(ports)).contains(given);
    }

    private EphemeralPorts set(String range, String reserved) throws Exception {
        Files.writeString(proc.resolve("ip_local_port_range"), range);
        Files.writeString(proc.resolve("ip_local_reserved_ports"), reserved);
        return EphemeralPorts.in(proc);
    }
}
