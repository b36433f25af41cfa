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
 * A process that cannot be mistaken for a later one with the same id: the id and when it began.
 *
 * <p>On Linux a process is there for as long as one of its threads is. A killed one may lose its
 * first thread, and with it all that /proc shows at first sight, while another thread still holds
 * ports and files.
 *
 * @param pid the process id
 * @param began on Linux the id of the boot and the clock tick since, elsewhere the wall time
 */
public record ProcessIdentity(long pid, String began) {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int STATE = 0;
    private static final int BEGAN = 19;

    /** The identity of a process that exists now, empty if there is none. */
    public static Optional<ProcessIdentity> of(long pid) {
        return began(pid).map(began -> new ProcessIdentity(pid, began));
    }

    /** The process, if it is still this one and not another with a reused id. */
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
                    // It has ended since it was listed.
                }
            }
        }
        return false;
    }

    /** Whether SIGSTOP has reached each thread of a process, or there is no such process. */
    public static boolean isStopped(long pid) {
        Path tasks = Path.of("/proc", Long.toString(pid), "task");
        try (Stream<Path> threads = Files.list(tasks)) {
            return threads.allMatch(ProcessIdentity::isStopped);
        } catch (IOException | UncheckedIOException e) {
            return true; // It has ended.
        }
    }

    private static boolean isStopped(Path thread) {
        try {
            String[] stat = stat(thread);
            return stat[STATE].equals("T") || hasEnded(stat);
        } catch (IOException e) {
            return true; // It has ended since it was listed.
        }
    }

    private static boolean hasEnded(String[] stat) {
        return stat[STATE].equals("Z") || stat[STATE].equals("X");
    }

    /** The fields of a process or thread after its command, see proc_pid_stat(5). */
    private static String[] stat(Path directory) throws IOException {
        String stat = Files.readString(directory.resolve("stat"));
        // The second field is the command in parentheses and may hold spaces and parentheses.
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }
}
