package dev.forebay.devstack.stack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Finds the process that holds a port by the kernel's tables in /proc. */
final class PortHolder {
    private static final List<Path> TABLES =
            List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    private static final String LISTEN = "0A";
    private static final int COMMAND_CHARACTERS = 80;

    private PortHolder() {}

    /**
     * Returns the id and command of the process. Empty if there is none, or if this user may not
     * see it.
     */
    static Optional<String> of(int port) {
        // The listener, or else the process with a connection from this port.
        return holder(sockets(port, true)).or(() -> holder(sockets(port, false)));
    }

    private static Optional<String> holder(Set<String> sockets) {
        return ProcessHandle.allProcesses()
                .filter(process -> holds(process.pid(), sockets))
                .findFirst()
                .map(process -> "process %d (%s)".formatted(process.pid(), command(process)));
    }

    private static Set<String> sockets(int port, boolean listening) {
        String suffix = String.format(Locale.ROOT, ":%04X", port);
        Set<String> sockets = new HashSet<>();
        for (Path table : TABLES) {
            try (Stream<String> lines = Files.lines(table)) {
                lines.map(line -> line.trim().split("\\s+", -1))
                        .filter(f -> f.length > 9 && f[1].endsWith(suffix))
                        .filter(f -> f[3].equals(LISTEN) == listening)
                        .forEach(fields -> sockets.add("socket:[" + fields[9] + "]"));
            } catch (IOException e) {
                // A kernel without IPv6 has no second table.
            }
        }
        return sockets;
    }

    private static boolean holds(long pid, Set<String> sockets) {
        if (sockets.isEmpty()) {
            return false;
        }
        Path descriptors = Path.of("/proc", Long.toString(pid), "fd");
        try (Stream<Path> all = Files.list(descriptors)) {
            return all.anyMatch(descriptor -> sockets.contains(target(descriptor)));
        } catch (IOException | java.io.UncheckedIOException e) {
            return false;
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static String command(ProcessHandle process) {
        String command = process.info().commandLine().orElse("?");
        return command.length() <= COMMAND_CHARACTERS
                ? command
                : command.substring(0, COMMAND_CHARACTERS) + "…";
    }
}
