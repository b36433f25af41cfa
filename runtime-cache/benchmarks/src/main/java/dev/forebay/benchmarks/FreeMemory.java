package dev.forebay.benchmarks;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Memory that nobody uses. A guest may give it back to its host, every two seconds a part of what
 * is free, what became free last before all else; and whoever takes it then waits for the host,
 * page by page: several times as long as reading a page takes. That is not to be the part of
 * whoever happens to be measured when it has just been given back.
 */
final class FreeMemory {
    /** For the stack, and for the pages of what is measured several times over. */
    private static final long LEFT = 8L << 30;

    /** What a case may take: its files' pages, and those of the files that they are cached in. */
    private static final long BYTES = 1536 << 20;

    private static final Path FIGURES = Path.of("/proc/meminfo");
    private static final String AVAILABLE = "MemAvailable:";

    private FreeMemory() {}

    /**
     * Takes all memory but 8 GiB, so that little is free and little of it is given back at a time.
     *
     * @return closed to have it free again
     */
    static Arena holdMost() throws IOException {
        long spare = available() - LEFT;
        Arena held = Arena.ofShared();
        if (spare > 0) {
            // Writes zeros.
            held.allocate(spare);
        }
        return held;
    }

    /** Takes memory from the host, and leaves it free: most of it stays so for seconds. */
    static void takeBack() {
        try (Arena arena = Arena.ofConfined()) {
            arena.allocate(BYTES);
        }
    }

    /** What could be had without swapping, in bytes. */
    private static long available() throws IOException {
        return Files.readAllLines(FIGURES).stream()
                .filter(line -> line.startsWith(AVAILABLE))
                .map(line -> line.replaceAll("\\D", ""))
                .mapToLong(kibibytes -> Long.parseLong(kibibytes) << 10)
                .findFirst()
                .orElseThrow(() -> new IOException(FIGURES + " has no " + AVAILABLE));
    }
}
