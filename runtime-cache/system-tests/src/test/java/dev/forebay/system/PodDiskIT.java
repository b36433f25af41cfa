package dev.forebay.system;

import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.linux.ErrorNumber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * "A mount shows the manifest's bytes or an error": a pod restarts although its disk is full or
 * dead, and no reader gets an error.
 */
class PodDiskIT {

    private static final long SEED = Long.getLong("forebay.seed", System.nanoTime());
    private static final int READS = 5_000;
    private static final long DISK_BYTES = 40L << 20;
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    @FunctionalInterface
    private interface Harm {
        void to(LoopDisk disk) throws IOException;
    }

    private final ModelRegion region = SharedModelRegion.get();

    @Test
    void aPodRestartsAlthoughItsDiskIsFull() throws Exception {
        servesAgain(ModelSetup.ON_DEMAND_JNR, "pod-0", disk -> fill(disk.path()));
    }

    @Test
    void aPodRestartsAlthoughTheDiskOfItsNodeCacheIsDead() throws Exception {
        servesAgain(ModelSetup.PORTABLE_JNR, "pod-0/packs", LoopDisk::die);
    }

    /**
     * @param used the part of the pod's directory that is on a separate disk
     * @param harm the damage to that disk while the pod is dead
     */
    private void servesAgain(ModelSetup setup, String used, Harm harm) throws Exception {
        Path own = region.newDirectory(setup.name());
        try (LoopDisk disk =
                        LoopDisk.mount(
                                own.resolveSibling(own.getFileName() + ".image"),
                                DISK_BYTES,
                                own.resolve(used));
                ModelMount mount = new ModelMount(region, setup, own);
                ModelReaders readers = new ModelReaders(region, mount, SEED)) {
            for (ModelVersion version : ModelVersion.all()) {
                Await.until(
                        version.name() + " is shown",
                        TIMEOUT,
                        () -> mount.reads(version) && mount.shows(version.name()));
            }
            mount.pod().kill9();
            harm.to(disk);
            mount.pod().restart();
            readers.start();
            readers.awaitMore(READS, "the pod was started again", () -> true);
            readers.end(() -> "the end");
        }
    }

    private static void fill(Path disk) throws IOException {
        try (FileChannel file =
                FileChannel.open(
                        disk.resolve("filling"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE)) {
            ByteBuffer block = ByteBuffer.allocate(1024);
            while (file.position() <= DISK_BYTES) {
                file.write(block.clear());
            }
            throw new AssertionError(disk + " is larger than it was made");
        } catch (IOException full) {
            if (!ErrorNumber.isFullDisk(full)) {
                throw full;
            }
        }
    }
}
