package dev.forebay.devstack.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountRightsTest {
    private static final Optional<Path> HELPER = Optional.of(Path.of("/usr/bin/fusermount"));

    @TempDir Path directory;

    private Path device;

    @BeforeEach
    void device() throws IOException {
        device = Files.createFile(directory.resolve("fuse"));
    }

    @Test
    void rootNeedsNoHelperAndGetsNoHint() {
        assertThat(new MountRights(true, Optional.empty(), device).check()).isEmpty();
    }

    @Test
    void anOrdinaryUserGetsAOneLineHintAboutNativeViews() {
        assertThat(new MountRights(false, HELPER, device).check())
                .hasValueSatisfying(
                        line ->
                                assertThat(line)
                                        .contains("Run as root for native views")
                                        .doesNotContain("\n"));
    }

    @Test
    void anOrdinaryUserWithoutTheHelperGetsTheInstallCommand() {
        assertThatThrownBy(() -> new MountRights(false, Optional.empty(), device).check())
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("apt-get install fuse3");
    }

    @Test
    void theCheckFailsIfTheDeviceIsMissing() {
        assertThatThrownBy(() -> new MountRights(true, HELPER, Path.of("/dev/missing")).check())
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("there is no /dev/missing");
    }

    @Test
    void anOrdinaryUserWithoutAccessToTheDeviceGetsTheChmodCommand() throws IOException {
        Files.setPosixFilePermissions(device, Set.of());
        assumeThat(Files.isReadable(device)).as("root opens everything").isFalse();

        assertThatThrownBy(() -> new MountRights(false, HELPER, device).check())
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("chmod 666 " + device);
    }
}
