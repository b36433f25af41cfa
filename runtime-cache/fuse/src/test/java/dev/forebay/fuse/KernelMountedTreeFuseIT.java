package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.KernelTransport;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class KernelMountedTreeFuseIT extends MountedTreeContract {

    private static final int MIB = 1 << 20;
    private static final int READS = CHUNK / MIB;

    @Override
    Transport mount(FileSystemView view, UpcallGuard guard, Path mountpoint) {
        return KernelTransport.mount(view, guard, mountpoint, false);
    }

    /**
     * A request is counted after its answer, so a moment later. Requests of 128 KiB would be 32.
     */
    @Test
    void theKernelReadsAMebibyteInOneRequest() {
        int before = reads.get();
        try (NativeFile file =
                NativeFile.openDirect(root().resolve("sizes/%d.bin".formatted(CHUNK)))) {
            for (int i = 0; i < READS; i++) {
                assertThat(file.read(new byte[MIB], (long) i * MIB).result()).isEqualTo(MIB);
            }
        }
        assertThat(reads.get() - before).isBetween(1, READS);
    }
}
