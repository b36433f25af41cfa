package dev.forebay.devstack.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Identifies a process by its id and start time, so that a later process with the same id is not
 * mistaken for it.
 *
 * <p>On Linux a process exists as long as one of its threads does. A killed process may lose its
 * first thread, and most of its entries in /proc with it, while another thread still holds ports
 * and files.
 *
 * @param pid the process id
 * @param began on Linux the id of the boot and the clock tick since, elsewhere the wall time
 */
public record ProcessIdentity(long pid, String began) {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int STATE = 0;
    private static final int BEGAN = 19;

    /** Returns the identity of a running process, or empty if there is none. */
    public static Optional<ProcessIdentity> of(long pid) {
        return began(pid).map(began -> new ProcessIdentity(pid, began));
    }

    /** Returns the process if it still runs. Another process that reuses its id does not count. */
    public Optional<ProcessHandle> handle() {
        return ProcessHandle.of(pid).filter(h -> began(pid).filter(began::equals).isPresent());
    }

    private static Optional<String> began(long pid) {
        try {
            String[] stat = stat(Path.of("/proc", Long.toString(pid)));
            if (hasEnded(stat) && !hasThread(pid)) {
                return Optional.empty();
            }
            return Optional.of(Files.readString(BOOT_ID).trim() + ":" + stat[BEGAN]);
        } catch (NoSuchFileException e) {
            if (Files.exists(BOOT_ID)) {
                return Optional.empty();
            }
        } catch (IOException e) {
            return Optional.empty();
        }
        return ProcessHandle.of(pid)
                .flatMap(handle -> handle.info().startInstant())
                .map(Instant::toString);
    }

    private static boolean hasThread(long pid) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads.toList()) {
                try {
                    if (!hasEnded(stat(thread))) {
                        return true;
                    }
                } catch (IOException e) {
                    // The thread has ended since the listing.
                }
            }
        }
        return false;
    }

    /**
     * Returns whether SIGSTOP has stopped each thread of a process, or there is no such process.
     */
    public static boolean isStopped(long pid) {
        Path tasks = Path.of("/proc", Long.toString(pid), "task");
        try (Stream<Path> threads = Files.list(tasks)) {
            return threads.allMatch(ProcessIdentity::isStopped);
        } catch (IOException | UncheckedIOException e) {
            return true; // The process has ended.
        }
    }

    private static boolean isStopped(Path thread) {
        try {
            String[] stat = stat(thread);
            return stat[STATE].equals("T") || hasEnded(stat);
        } catch (IOException e) {
            return true; // The thread has ended since the listing.
        }
    }

    private static boolean hasEnded(String[] stat) {
        return stat[STATE].equals("Z") || stat[STATE].equals("X");
    }

    /** Returns the fields of a process or thread after its command; see proc_pid_stat(5). */
    private static String[] stat(Path directory) throws IOException {
        String stat = Files.readString(directory.resolve("stat"));
        // The second field is the command in parentheses. It may contain spaces and parentheses.
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }
}
