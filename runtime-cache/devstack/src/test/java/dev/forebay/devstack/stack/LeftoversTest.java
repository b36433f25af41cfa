package dev.forebay.devstack.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.devstack.mount.Mounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Needs the right to mount. */
class LeftoversTest {

    @TempDir private Path directory;

    @AfterEach
    void cleanUpAfterAFailure() {
        var _ = Leftovers.cleanUp(List.of(directory));
    }

    /** Returns a disk that is not closed, like that of a killed test. */
    private LoopDisk left(String name) {
        Optional<LoopDisk> disk = LoopDisk.mountIfAllowed(directory, name, 8 << 20);
        assumeTrue(disk.isPresent(), "cannot mount an ext4 here");
        return disk.get();
    }

    private static long loopDevicesBelow(Path directory) throws IOException {
        try (var all = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
            long found = 0;
            for (Path each : all) {
                Path backing = each.resolve("loop/backing_file");
                found += Files.exists(backing) && read(backing).startsWith(directory + "/") ? 1 : 0;
            }
            return found;
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void cleanUpRemovesAndReportsMountsAndLoopDevices() throws Exception {
        LoopDisk disk = left("disk");
        Path inner = Files.createDirectory(disk.path().resolve("inner"));
        assertThat(Mounts.succeeds(List.of("mount", "-t", "tmpfs", "none", inner.toString())))
                .isTrue();

        List<String> removed = Leftovers.cleanUp(List.of(directory));

        assertThat(removed)
                .hasSize(2)
                .contains("unmounted " + disk.path())
                .last()
                .asString()
                .startsWith("removed loop device /dev/loop")
                .endsWith(" of " + directory.resolve("disk.image"));
        assertThat(Mounts.below(directory)).isEmpty();
        assertThat(loopDevicesBelow(directory)).isZero();
        assertThat(Leftovers.cleanUp(List.of(directory))).isEmpty();
    }

    @Test
    void cleanUpRemovesAFrozenDiskWithBlockedReads() throws Exception {
        LoopDisk disk = left("frozen");
        disk.hang();
        boolean _ = disk.hangReads();

        var _ = Leftovers.cleanUp(List.of(directory));

        assertThat(Mounts.below(directory)).isEmpty();
        assertThat(loopDevicesBelow(directory)).isZero();
        assertThat(left("another").usableBytes()).isPositive();
    }

    @Test
    void cleanUpRemovesMountsStackedOnOneDirectory() throws Exception {
        LoopDisk disk = left("lowest");
        for (int i = 0; i < 2; i++) {
            assertThat(
                            Mounts.succeeds(
                                    List.of(
                                            "mount",
                                            "-t",
                                            "tmpfs",
                                            "none",
                                            disk.path().toString())))
                    .isTrue();
        }

        assertThat(Leftovers.cleanUp(List.of(directory))).hasSize(4);

        assertThat(Mounts.below(directory)).isEmpty();
        assertThat(disk.path()).isEmptyDirectory();
    }

    @Test
    void cleanUpKeepsMountsInOtherDirectories() throws Exception {
        LoopDisk disk = left("other");

        assertThat(Leftovers.cleanUp(List.of(directory.resolve("othe")))).isEmpty();

        assertThat(Mounts.isMounted(disk.path())).isTrue();
    }
}
