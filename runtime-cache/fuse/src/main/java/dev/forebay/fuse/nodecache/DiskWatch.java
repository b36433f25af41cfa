package dev.forebay.fuse.nodecache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.forebay.linux.DiskFile;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.thread.Closing;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out that the disk fails while it is read past this process: then none of our own reads
 * would tell. A few bytes are written, brought to the device and read from there, on a thread of
 * their own, for the disk may let them wait. Goes on while it fails, so that nobody relies on the
 * disk again before it is right. Safe for use by many threads.
 */
final class DiskWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);

    /** How long the disk is looked at for those who have said that they rely on it. */
    private static final Duration TERM = Duration.ofSeconds(30);

    private static final int BYTES = 4 << 10;

    private final Path file;
    private final Disk disk;
    private final Duration pause;
    private final Closing closing = new Closing();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("disk-watch").unstarted(this::run);
    private volatile long reliedUntil = System.nanoTime();

    /**
     * @param directory where the file is that is written, and removed again
     * @param pause how long to rest before each look
     */
    DiskWatch(Path directory, Disk disk, Duration pause) {
        this.file = directory.resolve("probe");
        this.disk = disk;
        this.pause = pause;
    }

    void start() {
        thread.start();
    }

    /** Says that the disk is read past this process, now and for a while. */
    void rely() {
        reliedUntil = System.nanoTime() + TERM.toNanos();
    }

    private void run() {
        while (!closing.within(pause)) {
            if (reliedUntil - System.nanoTime() > 0 || !disk.isUsable()) {
                look();
            }
        }
    }

    private void look() {
        try {
            if (!keepsBytes()) {
                disk.failed(new IOException(file + " does not hold what was written"));
            }
        } catch (IOException e) {
            // A full disk, or one that this process cannot ask now, is none the worse for it.
            if (ErrorNumber.isBrokenDisk(e)) {
                disk.failed(e);
            }
        } catch (RuntimeException | Error e) {
            LOG.error("The disk is looked at again in a moment", e);
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
            // Else they come from memory.
            probe.forget(0, DiskFile.TO_THE_END);
            return probe.read(read, 0) == BYTES && written.mismatch(read) < 0;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    @Override
    public void close() {
        closing.begin();
    }
}
