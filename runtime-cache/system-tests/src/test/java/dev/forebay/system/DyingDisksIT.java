package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.linux.ErrorNumber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * "A mount shows the manifest's bytes or an error": the disks of a worker and of the node cache are
 * smaller than they were said to be, and then they die, while the readers of the model read. Nobody
 * sees an error, and pods start.
 */
class DyingDisksIT {

    private static final long SEED = Long.getLong("forebay.seed", System.nanoTime());
    private static final int READS = 10_000;
    private static final long DISK_BYTES = 40L << 20;
    private static final long NEARLY_FULL = 8L << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @FunctionalInterface
    private interface Harm {
        void to(LoopDisk disk) throws IOException;
    }

    @TempDir private static Path directory;
    private static LoopDisk store;
    private static ModelRegion region;
    private static boolean storeIsDead;

    @BeforeAll
    static void startRegion() throws Exception {
        storeIsDead = false;
        store =
                LoopDisk.mount(
                        directory.resolve("store.image"), DISK_BYTES, directory.resolve("store-0"));
        region = new ModelRegion(directory);
    }

    @AfterAll
    static void stopRegion() {
        region.close();
        store.close();
    }

    /** The transport makes no difference here. What is mounted, the kernel reads by itself. */
    @ParameterizedTest
    @EnumSource(names = {"PORTABLE_KERNEL", "ON_DEMAND_KERNEL"})
    void readsGoOnWhenDisksAreFullAndWhenTheyDie(ModelSetup setup) throws Exception {
        boolean images = setup.shown() == ModelSetup.Shown.BY_IMAGE;
        Path cached = directory.resolve(setup + (images ? "/cache/packs" : "/cache"));
        try (LoopDisk cache =
                        LoopDisk.mount(directory.resolve(setup + ".image"), DISK_BYTES, cached);
                ModelMount mount = new ModelMount(region, setup);
                ModelReaders readers = new ModelReaders(region, mount, SEED)) {
            readers.start();
            awaitReads(readers, "the disks are full", () -> cache.usableBytes() < NEARLY_FULL);
            cache.die();
            if (!storeIsDead) {
                store.die();
                storeIsDead = true;
            }
            awaitReads(readers, "the disks are dead", () -> true);
            // The second one that serves then was started when they were.
            mount.killPod();
            mount.killPod();
            awaitReads(readers, "pods were started beside dead disks", () -> true);
            readers.end(() -> "the end");
        }
    }

    @Test
    void aPodIsStartedAgainThoughItsDiskIsFull() throws Exception {
        servesAgain(ModelSetup.ON_DEMAND_JNR, "pod-0", disk -> fill(disk.path()));
    }

    @Test
    void aPodIsStartedAgainThoughTheDiskOfItsNodeCacheIsDead() throws Exception {
        servesAgain(ModelSetup.PORTABLE_JNR, "pod-0/packs", LoopDisk::die);
    }

    /**
     * @param used what of the pod is on a disk of its own
     * @param harm to that disk, while the pod is dead
     */
    private static void servesAgain(ModelSetup setup, String used, Harm harm) throws Exception {
        try (LoopDisk disk =
                        LoopDisk.mount(
                                directory.resolve(setup + ".image"),
                                DISK_BYTES,
                                directory.resolve(setup + "/" + used));
                ModelMount mount = new ModelMount(region, setup);
                ModelReaders readers = new ModelReaders(region, mount, SEED)) {
            for (ModelVersion version : ModelVersion.all()) {
                Await.until(
                        version.name() + " is shown",
                        PATIENCE,
                        () -> mount.reads(version) && mount.shows(version.name()));
            }
            mount.pod().kill9();
            harm.to(disk);
            mount.pod().restart();
            readers.start();
            awaitReads(readers, "the pod was started again", () -> true);
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

    private static void awaitReads(ModelReaders readers, String state, Callable<Boolean> condition)
            throws Exception {
        Instant deadline = Instant.now().plus(PATIENCE);
        long until = readers.reads() + READS;
        while (readers.reads() < until || !condition.call()) {
            readers.assertRight(() -> state);
            assertThat(Instant.now()).as(state).isBefore(deadline);
            LockSupport.parkNanos(10_000_000);
        }
    }
}
