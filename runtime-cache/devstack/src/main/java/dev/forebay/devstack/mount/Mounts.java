package dev.forebay.devstack.mount;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Lists and removes the mounts of this machine. It reads the kernel's table and never touches a
 * mountpoint: access fails if its daemon has died, and hangs if the daemon hangs.
 */
public final class Mounts {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final int MOUNTPOINT = 4;
    private static final Duration UNUSED_WITHIN = Duration.ofSeconds(20);
    private static final int COMMAND_SECONDS = 30;
    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    /** Separates the fields of the mount from the type and source of the file system. */
    private static final String SEPARATOR = " - ";

    private Mounts() {}

    /** Returns the mountpoints at or below a directory, the outermost first. */
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

    /** Returns the mountpoints of a device's file system, if it has this type. */
    public static List<Path> of(Path device, String type) {
        String source = "%s%s %s ".formatted(SEPARATOR, type, device);
        try (Stream<String> lines = Files.lines(TABLE)) {
            return lines.filter(line -> line.contains(source))
                    .map(line -> Path.of(unescape(line.split(" ", -1)[MOUNTPOINT])))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether a file system is mounted there. */
    public static boolean isMounted(Path mountpoint) {
        return below(mountpoint).contains(mountpoint);
    }

    /**
     * Detaches a mount at once, even if it is in use, with all mounts below it. Those could not be
     * unmounted separately: the path to them leads through a daemon that may have died.
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
     * Unmounts a mount that is no longer in use. It retries for a while: a child process that
     * another thread is starting has copies of this JVM's descriptors until it executes its
     * program.
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

    /**
     * Runs a command and returns whether it ended with 0 within half a minute; false if it does not
     * exist.
     */
    public static boolean succeeds(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            if (process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
                return process.exitValue() == 0;
            }
            process.destroyForcibly();
            return false;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Decodes space, tab, newline and backslash, which the kernel writes as three octal digits. */
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
