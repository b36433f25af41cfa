package dev.forebay.fuse;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.linux.MountCalls;
import dev.forebay.fuse.options.TransportChoice;
import dev.forebay.linux.Descriptor;
import dev.forebay.model.PackId;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests a pod over FUSE's own protocol, and everything that does not depend on the transport. */
class KernelPodFuseIT extends PodContract {

    KernelPodFuseIT() {
        super(TransportChoice.KERNEL);
    }

    @Test
    void aPodUsesThePacksOfAKilledPredecessor() throws Exception {
        Path own = Files.createTempDirectory(directory, "killed");
        Process process = ready(Map.of("--directory", own.toString()));
        servesEveryFile();
        says("is on this node", process);
        process.destroyForcibly();
        process.waitFor();
        Files.writeString(output, "");
        worker.down(true);
        try {
            ready(Map.of("--directory", own.toString()));
            servesEveryFile();
        } finally {
            worker.down(false);
        }
    }

    @Test
    void aPodPrewarmsTheWholeVersionAfterARead() throws Exception {
        Path own = Files.createTempDirectory(directory, "prewarm");
        Process process = ready(Map.of("--directory", own.toString()));
        servesTheVersion();
        says("is on this node", process);
        worker.down(true);
        try {
            servesEveryFile();
            measures(process, "forebay_fuse_pack_cache_complete_versions 1.0");
        } finally {
            worker.down(false);
        }
        for (Map.Entry<PackId, byte[]> pack : dataset.packs().entrySet()) {
            byte[] file = Files.readAllBytes(own.resolve("packs/" + pack.getKey() + ".pack"));
            assertThat(Arrays.copyOf(file, pack.getValue().length)).isEqualTo(pack.getValue());
        }
    }

    @Test
    void aPodWithTheNativeViewPrewarmsVersionsWithoutReads() throws Exception {
        Path own = Files.createTempDirectory(directory, "native");
        Process process = ready(Map.of("--directory", own.toString(), "--view", "native"));
        says("is shown by its image, from this node's disk", process);
        worker.down(true);
        try {
            servesEveryFile();
        } finally {
            worker.down(false);
        }
    }

    @Test
    void strictReadsReturnTheRightBytesDespiteFlippedBits() throws Exception {
        Path own = Files.createTempDirectory(directory, "strict");
        Process process =
                ready(
                        Map.of(
                                "--directory", own.toString(),
                                "--strict", "true",
                                "--prewarm-rate", "0"));
        servesEveryFile();
        Random random = new Random(7);
        for (Map.Entry<PackId, byte[]> pack : dataset.packs().entrySet()) {
            Path file = own.resolve("packs/" + pack.getKey() + ".pack");
            try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
                for (int at = 0; at < pack.getValue().length; at += 30_000) {
                    bytes.seek(at);
                    bytes.write(pack.getValue()[at] ^ 1 << random.nextInt(8));
                }
            }
            // Otherwise most reads would be answered from the page cache, not by the pod.
            Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "1");
            servesEveryFile();
        }
        measures(
                process,
                "failures_total.outcome=\"damaged\". [1-9]",
                "fuse_views.view=\"on_demand\". [1-9]");
        worker.down(true);
        try {
            servesEveryFile();
        } finally {
            worker.down(false);
        }
    }

    @Test
    void aPodKeepsItsPacksWithinTheirLimit() throws Exception {
        Path own = Files.createTempDirectory(directory, "bound");
        Process process = ready(Map.of("--directory", own.toString(), "--pack-cache", "12M"));
        servesEveryFile();
        Process du = new ProcessBuilder("du", "-sk", own + "/packs").start();
        String kibibytes = new String(du.getInputStream().readAllBytes(), US_ASCII);
        assertThat(Integer.parseInt(kibibytes.split("\\s", 2)[0]))
                .isBetween(4096, (12 << 10) + OF_FILE_SYSTEM_KIB);
        measures(
                process,
                "forebay_fuse_pack_cache_capacity_bytes 1.2582912E7",
                "outcome=\"evicted\". [1-9]");
    }

    @Test
    void autoReportsWhyTheKernelTransportIsUnavailable() throws Exception {
        Process process =
                start(
                        Map.of("--transport", "auto"),
                        "setpriv",
                        "--bounding-set=-sys_admin",
                        "--inh-caps=-sys_admin");
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(output))
                .contains("Transport jnr, because the transport kernel cannot mount " + mountpoint)
                .contains("Operation not permitted")
                .as("libfuse cannot mount either")
                .contains("libfuse ended with");
    }

    @Test
    void aPodWithAnUnknownRegionWarnsAndNamesTheKnownOnes() throws Exception {
        Process process = start(Map.of("--region", "r2", "--directory", emptyDirectory()));
        says("is mounted at", process);
        says("WARN", process);
        says("no version of --region r2, so the mount is empty for now; it knows r1", process);
    }

    /**
     * Simulates a pod of another user without {@code --allow-other}: not even root may access it.
     */
    @Test
    void aPodRefusesAMountpointThatAnotherUserHasMounted() throws Exception {
        try (Descriptor device = Descriptor.open(Path.of("/dev/fuse"), Descriptor.O_RDWR)) {
            MountCalls.mount(
                    "forebay",
                    mountpoint,
                    "fuse.forebay",
                    MountCalls.MS_NOSUID | MountCalls.MS_NODEV,
                    "fd=%d,rootmode=40000,user_id=1000,group_id=1000".formatted(device.number()));
            refuses("is mounted by another running forebay-fuse", Map.of());
            assertThat(mounted()).isTrue();
        }
    }
}
