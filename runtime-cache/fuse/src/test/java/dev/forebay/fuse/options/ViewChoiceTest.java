package dev.forebay.fuse.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.fuse.view.ImageDevices;
import dev.forebay.fuse.view.View;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ViewChoiceTest {

    @TempDir private Path directory;

    /** A node cache may fill the disk, and a pod must start again. Needs permission to mount. */
    @Test
    void autoFindsTheSameViewOnAFullDisk() throws Exception {
        var mounted = LoopDisk.mountIfAllowed(directory, "disk", 4L << 20);
        assumeTrue(mounted.isPresent(), "cannot mount an ext4 here");
        try (LoopDisk disk = mounted.get()) {
            List<ImageDevices> devices = List.of(ImageDevices.FILES);
            ViewChoice.Found first = ViewChoice.AUTO.find(devices, disk.path(), true);
            fill(disk.path().resolve("packs"));

            assertThat(ViewChoice.AUTO.find(devices, disk.path(), true)).isEqualTo(first);
        }
    }

    /** Simulates a kernel that cannot mount images in any way. */
    @Test
    void autoFallsBackToThePortableViewAndForcedViewsFail() {
        for (ViewChoice lenient : List.of(ViewChoice.AUTO, ViewChoice.PORTABLE)) {
            assertThat(lenient.find(List.of(), directory, true).best()).isEqualTo(View.PORTABLE);
        }
        for (ViewChoice forced : List.of(ViewChoice.NATIVE, ViewChoice.ON_DEMAND)) {
            assertThatExceptionOfType(ForebayException.class)
                    .isThrownBy(() -> forced.find(List.of(), directory, true))
                    .withMessageStartingWith("--view " + forced)
                    .matches(e -> e.code() == ErrorCode.INVALID_ARGUMENT);
        }
    }

    private static void fill(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer block = ByteBuffer.allocate(1 << 10);
            while (channel.write(block.clear()) > 0) {
                channel.force(false);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
        }
    }
}
