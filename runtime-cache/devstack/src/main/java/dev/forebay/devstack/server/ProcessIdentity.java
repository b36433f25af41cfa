package dev.forebay.devstack.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * A process that cannot be mistaken for a later one with the same id: the id and when it began.
 *
 * @param pid the process id
 * @param began on Linux the id of the boot and the clock tick since, elsewhere the wall time
 */
public record ProcessIdentity(long pid, String began) {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

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
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // The second field is the command in parentheses and may hold spaces and parentheses.
            String[] rest = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            if (rest[0].equals("Z")) {
                return Optional.empty();
            }
            return Optional.of(Files.readString(BOOT_ID).trim() + ":" + rest[19]);
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
}
