package dev.forebay.fuse.nodecache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.forebay.linux.DiskFile;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.model.Seconds;
import dev.forebay.thread.PeriodicTask;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes the disk: writes a few bytes, syncs them and reads them back, on its own thread. It
 * detects that the disk fails while programs read it directly, which this process would not notice.
 * It also detects that the disk hangs, which threads that wait for it cannot notice. Probes
 * continue while the disk fails, so that it is used again only when it works. Thread-safe.
 */
final class DiskWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);

    /** The time for which one call of {@link #rely} keeps the probes running. */
    private static final Duration TERM = Duration.ofSeconds(30);

    private static final int BYTES = 4 << 10;

    private final Path file;
    private final Disk disk;
    private final Duration timeout;
    private final PeriodicTask task;
    private final ExecutorService prober =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("disk-probe").factory());
    private volatile long reliedUntil = System.nanoTime();

    /** The probe that the disk has not answered yet. */
    private @Nullable Future<Boolean> answer;

    /**
     * @param directory the directory of the probe file, which is removed after each probe
     * @param pause the delay before each probe
     * @param timeout the time in which the disk must answer
     */
    DiskWatch(Path directory, Disk disk, Duration pause, Duration timeout) {
        this.file = directory.resolve("probe");
        this.disk = disk;
        this.timeout = timeout;
        this.task =
                new PeriodicTask(
                        Thread.ofPlatform().daemon().name("disk-watch"),
                        pause,
                        pause,
                        "Cannot probe the disk",
                        this::probe,
                        prober::shutdown);
    }

    void start() {
        task.startAfterPause();
    }

    /** Records that programs read the disk directly, now and for a while. */
    void rely() {
        reliedUntil = System.nanoTime() + TERM.toNanos();
    }

    private void probe() throws InterruptedException {
        if (reliedUntil - System.nanoTime() > 0 || disk.isInUse() || !disk.isUsable()) {
            awaitAnswer();
        }
    }

    private void awaitAnswer() throws InterruptedException {
        if (answer == null) {
            answer = prober.submit(this::keepsBytes);
        }
        try {
            if (!answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                disk.failed(new IOException(file + " does not hold what was written"));
            }
            answer = null;
        } catch (TimeoutException e) {
            disk.failed(
                    new IOException(
                            file + " has not been written and read in " + Seconds.of(timeout)));
        } catch (ExecutionException e) {
            answer = null;
            failed(e.getCause());
        }
    }

    private void failed(@Nullable Throwable why) {
        if (!(why instanceof IOException e)) {
            LOG.error("The check of the disk failed and is retried", why);
        } else if (ErrorNumber.isBrokenDisk(e)) {
            // A full disk, or one that this process cannot access now, is not broken.
            disk.failed(e);
        }
    }

    private boolean keepsBytes() throws IOException {
        Files.deleteIfExists(file);
        try (DiskFile probe = DiskFile.create(file);
                Arena arena = Arena.ofConfined()) {
            MemorySegment written = arena.allocate(BYTES).fill((byte) System.nanoTime());
            MemorySegment read = arena.allocate(BYTES).fill((byte) ~written.get(JAVA_BYTE, 0));
            probe.write(written, 0);
            probe.syncData();
            // Otherwise the bytes would come from the page cache.
            probe.forget(0, DiskFile.TO_THE_END);
            return probe.read(read, 0) == BYTES && written.mismatch(read) < 0;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    @Override
    public void close() {
        task.close();
    }
}
