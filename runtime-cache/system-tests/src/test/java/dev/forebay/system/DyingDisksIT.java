package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.LoopDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * "A mount shows the manifest's bytes or an error": the disks of a worker and of the node cache are
 * smaller than they were said to be, and then they die, while the readers of the model read. Nobody
 * sees an error.
 */
class DyingDisksIT {

    private static final long SEED = Long.getLong("forebay.seed", System.nanoTime());
    private static final int READS = 10_000;
    private static final long DISK_BYTES = 40L << 20;
    private static final long NEARLY_FULL = 8L << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir private static Path directory;
    private static LoopDisk store;
    private static ModelRegion region;
    private static boolean storeIsDead;

    @BeforeAll
    static void startRegion() throws Exception {
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

    /** The transport makes no difference here. */
    @ParameterizedTest
    @EnumSource(names = {"PORTABLE_KERNEL", "ON_DEMAND_KERNEL"})
    void readsGoOnWhenDisksAreFullAndWhenTheyDie(ModelSetup setup) throws Exception {
        Path packs = directory.resolve(setup + "/cache/packs");
        try (LoopDisk cache =
                        LoopDisk.mount(directory.resolve(setup + ".image"), DISK_BYTES, packs);
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
            readers.end(() -> "the end");
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
