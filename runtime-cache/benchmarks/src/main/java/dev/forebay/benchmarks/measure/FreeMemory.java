package dev.forebay.benchmarks.measure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Controls the free memory of a guest that gives it back to its host. Every two seconds the guest
 * gives back a part, the pages that became free last before others. A program that then uses such a
 * page waits for the host several times as long as a read of the page takes. This must not count
 * for the contender that happens to be measured next.
 */
public final class FreeMemory {
    /** For the stack, and for several copies of the pages of measured files. */
    private static final long LEFT = 8L << 30;

    /** The need of one case: the pages of its files, and of the files that back them. */
    private static final long BYTES = 1536 << 20;

    private static final Path FIGURES = Path.of("/proc/meminfo");
    private static final String AVAILABLE = "MemAvailable:";

    private FreeMemory() {}

    /**
     * Takes all memory except 8 GiB, so that little memory is free and can be given back.
     *
     * @return frees the memory when it is closed
     */
    public static Arena holdMost() throws IOException {
        long spare = available() - LEFT;
        Arena held = Arena.ofShared();
        if (spare > 0) {
            // Writes zeros, so that the pages are really in use.
            held.allocate(spare);
        }
        return held;
    }

    /** Takes memory from the host and frees it. Most of it stays with the guest for seconds. */
    public static void takeBack() {
        try (Arena arena = Arena.ofConfined()) {
            arena.allocate(BYTES);
        }
    }

    /** Returns the memory that is available without swapping, in bytes. */
    private static long available() throws IOException {
        return Files.readAllLines(FIGURES).stream()
                .filter(line -> line.startsWith(AVAILABLE))
                .map(line -> line.replaceAll("\\D", ""))
                .mapToLong(kibibytes -> Long.parseLong(kibibytes) << 10)
                .findFirst()
                .orElseThrow(() -> new IOException(FIGURES + " has no " + AVAILABLE));
    }
}
