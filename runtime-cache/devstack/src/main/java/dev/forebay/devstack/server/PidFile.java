package dev.forebay.devstack.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The file of a started process, from which another JVM can stop it. It has the id, the start time,
 * and the signal that ends the process in order.
 *
 * @param file the path of the file
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

    /** Reads a file; returns empty if it does not exist or is incomplete. */
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

    /** Returns the name of the process. */
    public String name() {
        String name = file.toAbsolutePath().getFileName().toString();
        return name.substring(0, name.length() - SUFFIX.length());
    }

    /**
     * Returns whether the process still runs. Another process that reuses its id does not count.
     */
    public boolean isAlive() {
        return identity.handle().isPresent();
    }

    /** Stops the process in order, or after 15 s by SIGKILL, and removes the file. */
    public void stop() throws IOException {
        Optional<ProcessHandle> process = identity.handle();
        if (process.isPresent()) {
            // A paused process would not receive the signal.
            Signals.send(process.get().pid(), "CONT");
            Signals.stop(process.get(), stopSignal, STOP_WITHIN);
        }
        Files.deleteIfExists(file);
    }
}
