package dev.forebay.benchmarks;

import java.lang.foreign.Arena;

/**
 * Memory that nobody uses. A guest may have given it back to its host, and whoever then takes it
 * first waits for the host, page by page: several times as long as reading a page takes. That is
 * not to be the part of whoever is measured first.
 */
final class FreeMemory {
    /** What a case may take: its files' pages, and those of the files that they are cached in. */
    private static final long BYTES = 768 << 20;

    private FreeMemory() {}

    /** Takes memory from the host, and leaves it free; for the next two seconds it stays so. */
    static void takeBack() {
        try (Arena arena = Arena.ofConfined()) {
            // Writes zeros.
            arena.allocate(BYTES);
        }
    }
}
