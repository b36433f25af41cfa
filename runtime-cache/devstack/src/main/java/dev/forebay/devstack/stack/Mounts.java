package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The mounts of this machine. Read from the kernel's table: to touch the mountpoint of a daemon
 * that is gone fails, and of one that hangs never returns.
 */
public final class Mounts {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final int MOUNTPOINT = 4;
    private static final Duration UNUSED_WITHIN = Duration.ofSeconds(20);
    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    /** Separates the fields of the mount from type and source of the file system. */
    private static final String SEPARATOR = " - ";

    private Mounts() {}

    /** The mountpoints at or below a directory, the outermost first. */
    public static List<Path> below(Path directory) {
        try (Stream<String> lines = Files.lines(TABLE)) {
            return lines.map(line -> Path.of(unescape(line.split(" ", -1)[MOUNTPOINT])))
                    .filter(mountpoint -> mountpoint.startsWith(directory))
                    .sorted(Comparator.comparing(Path::getNameCount))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns where the file system on a device is mounted, if it is of this type. */
    static List<Path> of(Path device, String type) {
        String source = "%s%s %s ".formatted(SEPARATOR, type, device);
        try (Stream<String> lines = Files.lines(TABLE)) {
            return lines.filter(line -> line.contains(source))
                    .map(line -> Path.of(unescape(line.split(" ", -1)[MOUNTPOINT])))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether something is mounted there. */
    public static boolean isMounted(Path mountpoint) {
        return below(mountpoint).contains(mountpoint);
    }

    /**
     * Takes a mount away at once, whoever still uses it, and with it what is mounted below: to
     * reach that, one would have to pass a daemon that may be gone.
     */
    public static void detach(Path mountpoint) {
        List<List<String>> ways =
                List.of(
                        List.of("umount", "-l", mountpoint.toString()),
                        List.of("fusermount3", "-u", "-z", mountpoint.toString()),
                        List.of("fusermount", "-u", "-z", mountpoint.toString()));
        for (List<String> way : ways) {
            if (succeeds(way)) {
                return;
            }
        }
        if (isMounted(mountpoint)) {
            throw new DevstackException(
                    "cannot unmount %s: try 'umount -l %s' as root"
                            .formatted(mountpoint, mountpoint));
        }
    }

    /**
     * Takes a mount away that nobody uses any more. A child process that another thread is starting
     * has all of our descriptors until it runs its program, so this is tried for a while.
     */
    public static void unmount(Path mountpoint) {
        long deadline = System.nanoTime() + UNUSED_WITHIN.toNanos();
        while (!succeeds(List.of("umount", mountpoint.toString()))) {
            if (System.nanoTime() > deadline) {
                throw new DevstackException(
                        "cannot unmount %s: it is in use, see 'fuser -m %s'"
                                .formatted(mountpoint, mountpoint));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Runs a command and returns whether it ended with 0; false if it does not exist. */
    static boolean succeeds(List<String> command) {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The kernel writes space, tab, newline and backslash as three octal digits. */
    private static String unescape(String field) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            if (field.charAt(i) == '\\' && i + 3 < field.length()) {
                text.append((char) Integer.parseInt(field.substring(i + 1, i + 4), 8));
                i += 3;
            } else {
                text.append(field.charAt(i));
            }
        }
        return text.toString();
    }
}
