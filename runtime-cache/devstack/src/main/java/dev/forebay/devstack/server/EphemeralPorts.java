package dev.forebay.devstack.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The ports that the kernel gives to outgoing connections: those of {@code ip_local_port_range}
 * without those of {@code ip_local_reserved_ports}, as the kernel's documentation of {@code
 * /proc/sys/net/ipv4} describes them.
 *
 * <p>A server should not listen on one of them. A connection can take it between the check that it
 * is free and the start, and while the server is down.
 *
 * @param first the first of the range
 * @param last the last of it, inclusive
 * @param reserved ports in the range that the kernel does not use
 */
public record EphemeralPorts(int first, int last, Set<Integer> reserved) {
    private static final Path PROC = Path.of("/proc/sys/net/ipv4");

    /** The defaults of Linux. */
    private static final int DEFAULT_FIRST = 32_768;

    private static final int DEFAULT_LAST = 60_999;

    public EphemeralPorts {
        reserved = Set.copyOf(reserved);
    }

    /** Returns the current settings of the kernel. */
    public static EphemeralPorts ofThisMachine() {
        return in(PROC);
    }

    /** Reads the settings from files in a directory. Missing files have the kernel's defaults. */
    static EphemeralPorts in(Path directory) {
        Set<Integer> reserved = new HashSet<>();
        for (String range : words(directory.resolve("ip_local_reserved_ports"), ",")) {
            List<String> ends = List.of(range.split("-", -1));
            IntStream.rangeClosed(
                            Integer.parseInt(ends.getFirst()), Integer.parseInt(ends.getLast()))
                    .forEach(reserved::add);
        }
        List<String> range = words(directory.resolve("ip_local_port_range"), "\\s+");
        return range.size() == 2
                ? new EphemeralPorts(
                        Integer.parseInt(range.getFirst()),
                        Integer.parseInt(range.getLast()),
                        reserved)
                : new EphemeralPorts(DEFAULT_FIRST, DEFAULT_LAST, reserved);
    }

    /** Returns whether an outgoing connection may get this port. */
    public boolean contains(int port) {
        return port >= first && port <= last && !reserved.contains(port);
    }

    private static List<String> words(Path file, String separator) {
        try {
            String text = Files.readString(file).strip();
            return text.isEmpty() ? List.of() : List.of(text.split(separator, -1));
        } catch (IOException e) {
            return List.of();
        }
    }
}
