package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.devstack.fault.LoopDisk;
import dev.forebay.linux.ErrorNumber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probes an ext4 on a loop device. Needs permission to mount. */
class DiskWatchTest {

    private static final long DISK_BYTES = 16L << 20;
    private static final Duration TIMEOUT = Duration.ofMillis(500);

    @TempDir private Path directory;
    private final CacheCounters counters = new CacheCounters();
    private final Disk disk =
            new Disk(
                    counters,
                    new FullDisk(
                            Path.of("."),
                            new CacheCapacity(0, counters),
                            counters,
                            System::nanoTime));
    private LoopDisk device;

    @BeforeEach
    void mount() {
        var mounted = LoopDisk.mountIfAllowed(directory, "disk", DISK_BYTES);
        assumeTrue(mounted.isPresent(), "cannot mount an ext4 here");
        device = mounted.get();
    }

    @AfterEach
    void unmount() {
        if (device != null) {
            device.close();
        }
    }

    private DiskWatch watch() {
        DiskWatch watch = new DiskWatch(device.path(), disk, Duration.ofMillis(5), TIMEOUT);
        watch.start();
        return watch;
    }

    /** Waits for several probes. */
    private void awaitLooks() {
        Path probe = device.path().resolve("probe");
        for (int look = 0; look < 3; look++) {
            await("a probe", () -> Files.exists(probe));
            await("the end of a probe", () -> !Files.exists(probe));
        }
    }

    @Test
    void theWatchDetectsAFailedDiskWithoutOtherUse() {
        try (DiskWatch watch = watch()) {
            watch.rely();
            awaitLooks();
            assertThat(disk.isUsable()).isTrue();
            device.die();
            await("the disk is unusable", () -> !disk.isUsable());
            long errors = counters.diskErrors();
            await("probes continue to fail", () -> counters.diskErrors() > errors);
        }
    }

    @Test
    void theWatchDetectsAHangingDiskAndProbesItAgainLater() {
        try (DiskWatch watch = watch()) {
            watch.rely();
            awaitLooks();
            device.hang();
            await("the disk is unusable", () -> !disk.isUsable());
            long errors = counters.diskErrors();
            await("probes continue to time out", () -> counters.diskErrors() > errors);
            device.goOn();
            awaitLooks();
        }
    }

    /** Without a waiting thread, no probe is needed. */
    @Test
    void theWatchDetectsAHangingDiskByAWaitingThread() throws Exception {
        try (DiskWatch _ = watch()) {
            device.hang();
            Thread writer =
                    Thread.ofPlatform()
                            .start(
                                    () ->
                                            disk.use(
                                                    device.path(),
                                                    () ->
                                                            Files.createFile(
                                                                    device.path().resolve("new"))));
            await("the disk is unusable", () -> !disk.isUsable());
            assertThat(disk.<String, RuntimeException>use("not asked", () -> "asked"))
                    .isEqualTo("not asked");
            device.goOn();
            assertThat(writer.join(Duration.ofSeconds(20))).isTrue();
        }
    }

    @Test
    void aFullDiskStaysUsable() throws Exception {
        fill();
        try (DiskWatch watch = watch()) {
            watch.rely();
            awaitLooks();
            assertThat(disk.isUsable()).isTrue();
        }
    }

    private void fill() throws IOException {
        try (FileChannel file =
                FileChannel.open(
                        device.path().resolve("filling"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE)) {
            ByteBuffer block = ByteBuffer.allocate(1024);
            while (file.position() <= DISK_BYTES) {
                file.write(block.clear());
            }
            throw new AssertionError("the disk is larger than it was made");
        } catch (IOException full) {
            if (!ErrorNumber.isFullDisk(full)) {
                throw full;
            }
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            LockSupport.parkNanos(10_000);
        }
    }
}
