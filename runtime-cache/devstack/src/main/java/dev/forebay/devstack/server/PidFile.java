package dev.forebay.devstack.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a process that was started left on disk, so that another JVM can stop it: its id, when it
 * began, and the signal that ends it in order.
 *
 * @param file where it was found
 * @param identity the process
 * @param stopSignal the signal, without {@code SIG}
 */
public record PidFile(Path file, ProcessIdentity identity, String stopSignal) {
    private static final String SUFFIX = ".pid";
    private static final Duration STOP_WITHIN = Duration.ofSeconds(15);

    static void write(Path file, ProcessHandle process, String stopSignal) throws IOException {
        Optional<ProcessIdentity> identity = ProcessIdentity.of(process.pid());
        if (identity.isPresent()) {
            ProcessIdentity of = identity.get();
            Files.write(file, List.of(Long.toString(of.pid()), of.began(), stopSignal));
        }
    }

    /** Reads a file; empty if it is not there or was not written to its end. */
    public static Optional<PidFile> read(Path file) {
        try {
            List<String> lines = Files.readAllLines(file);
            return lines.size() < 3
                    ? Optional.empty()
                    : Optional.of(
                            new PidFile(
                                    file,
                                    new ProcessIdentity(Long.parseLong(lines.get(0)), lines.get(1)),
                                    lines.get(2)));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The name of the process. */
    public String name() {
        String name = file.toAbsolutePath().getFileName().toString();
        return name.substring(0, name.length() - SUFFIX.length());
    }

    /** Whether the process is still there; another one that got its id does not count. */
    public boolean isAlive() {
        return identity.handle().isPresent();
    }

    /** Stops the process, in order or after 15 s by SIGKILL, and removes the file. */
    public void stop() throws IOException {
        Optional<ProcessHandle> process = identity.handle();
        if (process.isPresent()) {
            // It may be paused, and would not take the signal then.
            Signals.send(process.get().pid(), "CONT");
            Signals.stop(process.get(), stopSignal, STOP_WITHIN);
        }
        Files.deleteIfExists(file);
    }
}
