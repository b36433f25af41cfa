package dev.forebay.fuse.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.fuse.linux.MountCalls;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.SystemCallException;
import dev.forebay.model.ForebayException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountpointTest {

    @TempDir private Path directory;

    @Test
    void makeCreatesAMissingMountpoint() {
        Path mountpoint = directory.resolve("mnt");

        Mountpoint.make(mountpoint);

        assertThat(mountpoint).isEmptyDirectory();
        assertThat(Mountpoint.prepare(mountpoint)).isEqualTo(mountpoint);
    }

    @Test
    void resolvedReturnsThePathThatTheKernelUses() throws Exception {
        Path real = directory.toRealPath();
        Path mountpoint = Files.createDirectories(real.resolve("disk/mnt"));
        Files.createSymbolicLink(real.resolve("data"), Path.of("disk"));
        Files.createSymbolicLink(real.resolve("disk/link"), Path.of("../data/mnt"));
        Files.createSymbolicLink(real.resolve("loop"), Path.of("loop"));

        assertThat(Mountpoint.resolved(mountpoint)).isEqualTo(mountpoint);
        assertThat(Mountpoint.resolved(real.resolve("data/./mnt"))).isEqualTo(mountpoint);
        assertThat(Mountpoint.resolved(real.resolve("data/link"))).isEqualTo(mountpoint);
        assertThat(Mountpoint.resolved(real.resolve("data/new")))
                .isEqualTo(real.resolve("disk/new"));
        assertThat(Mountpoint.resolved(real.resolve("none/mnt")))
                .isEqualTo(real.resolve("none/mnt"));
        assertThat(Mountpoint.resolved(real.resolve("loop"))).isEqualTo(real.resolve("loop"));
        assertThat(Mountpoint.resolved(Path.of("/"))).isEqualTo(Path.of("/"));
    }

    @Test
    void makeKeepsTheContentOfAnExistingDirectory() throws Exception {
        Path file = Files.writeString(directory.resolve("something"), "of somebody");

        Mountpoint.make(directory);

        assertThat(file).hasContent("of somebody");
    }

    /** The parent may be missing because a disk is not mounted, or a name was mistyped. */
    @Test
    void makeFailsIfTheParentIsMissing() {
        assertThatThrownBy(() -> Mountpoint.make(directory.resolve("mistyped/mnt")))
                .isInstanceOf(ForebayException.class)
                .hasMessageContaining("mistyped")
                .hasMessageContaining("cannot be created");
    }

    @Test
    void messagesShowAPathWithAPercentSignUnchanged() {
        Path percent = directory.resolve("a%zb/mnt");

        for (ThrowingCallable refused :
                List.<ThrowingCallable>of(
                        () -> Mountpoint.make(percent), () -> Mountpoint.prepare(percent))) {
            assertThatThrownBy(refused)
                    .isInstanceOf(ForebayException.class)
                    .hasMessageContaining("--mountpoint: " + percent);
        }
    }

    /** A user without access, root too, gets that error before any other. */
    @Test
    void prepareDetachesADeadMountOfAnotherUser() throws Exception {
        Path mountpoint = Files.createDirectory(directory.toRealPath().resolve("mnt"));
        mountForAnotherUser(mountpoint).close();
        assertThatThrownBy(() -> Files.list(mountpoint)).isInstanceOf(AccessDeniedException.class);

        assertThat(Mountpoint.answers(mountpoint)).isFalse();
        assertThat(Mountpoint.prepare(mountpoint)).isEqualTo(mountpoint);
        assertThat(mountpoint).isEmptyDirectory();
    }

    @Test
    void prepareRefusesALiveMountOfAnotherUser() throws Exception {
        Path mountpoint = Files.createDirectory(directory.toRealPath().resolve("mnt"));
        // Not in the try block: if this user may not mount, nothing must be detached.
        Descriptor device = mountForAnotherUser(mountpoint);
        try (device) {
            assertThatThrownBy(() -> Mountpoint.prepare(mountpoint))
                    .hasMessageContaining(Mountpoint.ALIVE);
            assertThat(Mountpoint.isOurMount(mountpoint)).isTrue();
        } finally {
            MountCalls.detach(mountpoint);
        }
    }

    /** Mounts a file system that is alive while the result is open. */
    private static Descriptor mountForAnotherUser(Path mountpoint) throws SystemCallException {
        Descriptor device;
        try {
            device = Descriptor.open(Path.of("/dev/fuse"), Descriptor.O_RDWR);
        } catch (SystemCallException e) {
            return Assumptions.abort("no FUSE here: " + e);
        }
        try {
            MountCalls.mount(
                    "forebay",
                    mountpoint,
                    "fuse.forebay",
                    MountCalls.MS_NOSUID | MountCalls.MS_NODEV,
                    "fd=%d,rootmode=40000,user_id=1000,group_id=1000".formatted(device.number()));
        } catch (SystemCallException e) {
            device.close();
            return Assumptions.abort("cannot mount here: " + e);
        }
        return device;
    }
}
