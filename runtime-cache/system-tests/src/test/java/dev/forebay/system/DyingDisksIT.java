package dev.forebay.system;

import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.devstack.server.ServerProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * "A mount shows the manifest's bytes or an error": reads while disks are full and while they die.
 * The disks of a worker and of the node cache are smaller than configured. No reader gets an error,
 * and pods start.
 */
class DyingDisksIT {

    private static final long SEED = Long.getLong("forebay.seed", System.nanoTime());
    private static final int READS = 5_000;
    private static final long DISK_BYTES = 40L << 20;
    private static final long NEARLY_FULL = 8L << 20;

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

    /**
     * One transport is enough here. In the on-demand view the kernel reads mounted files by itself.
     */
    @ParameterizedTest
    @EnumSource(names = {"PORTABLE_KERNEL", "ON_DEMAND_KERNEL"})
    void readsContinueWhenDisksAreFullAndWhenTheyFail(ModelSetup setup) throws Exception {
        boolean images = setup.shown() == ModelSetup.Shown.BY_IMAGE;
        Path own = region.newDirectory(setup.name());
        try (LoopDisk cache =
                        LoopDisk.mount(
                                directory.resolve(setup + ".image"),
                                DISK_BYTES,
                                own.resolve(images ? "cache/packs" : "cache"));
                ModelMount mount = new ModelMount(region, setup, own);
                ModelReaders readers = new ModelReaders(region, mount, SEED)) {
            ServerProcess _ = mount.standby();
            readers.start();
            readers.awaitMore(READS, "the disks are full", () -> cache.usableBytes() < NEARLY_FULL);
            cache.die();
            if (!storeIsDead) {
                store.die();
                storeIsDead = true;
            }
            readers.awaitMore(READS, "the disks are dead", () -> true);
            // The pod that serves after the second kill was started with dead disks.
            mount.killPod();
            mount.killPod();
            readers.awaitMore(READS, "pods were started beside dead disks", () -> true);
            readers.end(() -> "the end");
        }
    }
}
