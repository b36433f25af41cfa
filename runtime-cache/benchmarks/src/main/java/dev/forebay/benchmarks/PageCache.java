package dev.forebay.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The kernel's page, dentry and inode caches, of the whole machine. */
final class PageCache {
    private static final Path DROP = Path.of("/proc/sys/vm/drop_caches");

    /** Where a file's bytes are when a reader begins. */
    enum State {
        /** On the disk only. */
        DISK,
        /**
         * The files that a mount takes its bytes from are in the page cache, and its own are not;
         * unless it has no others.
         */
        MEMORY;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private PageCache() {}

    /** Fails unless the caches can be dropped, which needs root. */
    static void requireDroppable() {
        if (!Files.isWritable(DROP)) {
            throw new IllegalStateException(
                    DROP + " is not writable: benchmarks need root to read from a cold cache");
        }
    }

    /** Writes back what is dirty and forgets everything nobody has open. */
    static void drop() throws IOException, InterruptedException {
        Command.run("sync");
        Files.writeString(DROP, "3");
    }
}
