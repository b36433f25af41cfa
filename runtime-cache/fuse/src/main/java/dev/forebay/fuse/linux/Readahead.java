package dev.forebay.fuse.linux;

import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Raises the read-ahead of the kernel for sequential readers. The default is 128 KiB, which then is
 * also the largest request to a FUSE server. Only sysfs can raise it, which is read-only in a
 * container unless the node's sysfs is mounted there. Each value is read back.
 */
public final class Readahead {

    private static final Logger LOG = LoggerFactory.getLogger(Readahead.class);

    /**
     * One request of maximum size in the kernel transport, or eight concurrent ones in jnr. The pod
     * itself reads much further ahead. A longer window here would only waste reads of programs that
     * read mapped files at random.
     */
    private static final int KIB = 1024;

    private static final Path DEVICES = Path.of("/sys/class/bdi");
    private static final Path BLOCK_DEVICES = Path.of("/sys/block");
    private static final String FILE = "read_ahead_kb";
    private static final String IMAGES = "erofs-*";

    private static final AtomicLong FAILURES = new AtomicLong();

    private static final AtomicReference<@Nullable String> FIRST_FAILURE = new AtomicReference<>();

    /** Mounts an image. */
    @FunctionalInterface
    public interface Mounting {
        DetachedMount mount() throws SystemCallException;
    }

    private Readahead() {}

    /** Returns how often this process could not raise it. */
    public static long failures() {
        return FAILURES.get();
    }

    /** Returns the warning about the first failure, with the remedy. */
    public static Optional<String> firstFailure() {
        return Optional.ofNullable(FIRST_FAILURE.get());
    }

    /** Raises it for the mount at a directory, without accessing the mount. */
    public static void raise(Path mountpoint) {
        try {
            List<MountTable.Entry> mounts = MountTable.at(mountpoint);
            if (!mounts.isEmpty()) {
                set(DEVICES.resolve(mounts.getLast().device()).resolve(FILE));
            }
        } catch (IOException e) {
            failed(mountpoint, e);
        }
    }

    /**
     * Mounts an image, and raises the read-ahead of the new mount. Nothing tells which sysfs entry
     * belongs to which mount, so it raises all entries that appeared meanwhile. An entry of another
     * process among them takes no harm.
     */
    public static synchronized DetachedMount raise(Mounting mounting) throws SystemCallException {
        Set<Path> before = images();
        DetachedMount mounted = mounting.mount();
        Set<Path> added = images();
        added.removeAll(before);
        added.forEach(entry -> set(entry.resolve(FILE)));
        if (added.isEmpty()) {
            failed(DEVICES.resolve(IMAGES), new IOException("no entry for an image"));
        }
        return mounted;
    }

    /** Raises it for mounts from a block device. */
    public static void raiseOf(Path device) {
        set(BLOCK_DEVICES.resolve(device.getFileName()).resolve("queue").resolve(FILE));
    }

    /**
     * Writes the value unless it is right already: another process may have raised it, and /sys may
     * be read-only here.
     */
    static void set(Path file) {
        String wanted = Integer.toString(KIB);
        try {
            if (Files.readString(file).strip().equals(wanted)) {
                return;
            }
            Files.writeString(file, wanted);
            String set = Files.readString(file).strip();
            if (!set.equals(wanted)) {
                failed(file, new IOException("it has %s after a write of %d".formatted(set, KIB)));
            }
        } catch (IOException e) {
            failed(file, e);
        }
    }

    /** Counts a failure, and warns once, because the reason is the same for all. */
    private static void failed(Path what, IOException e) {
        FAILURES.incrementAndGet();
        String warning =
                "Read-ahead stays at 128 KiB, so sequential reads are slower: cannot set %s: %s. In a container, mount the node's /sys writable at /sys."
                        .formatted(what, e);
        if (FIRST_FAILURE.compareAndSet(null, warning)) {
            LOG.warn("{}", warning);
        } else {
            LOG.debug("{}", warning);
        }
    }

    private static Set<Path> images() {
        Set<Path> entries = new HashSet<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(DEVICES, IMAGES)) {
            found.forEach(entries::add);
        } catch (IOException e) {
            LOG.debug("No {}: {}", DEVICES, e.toString());
        }
        return entries;
    }
}
