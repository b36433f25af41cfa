package dev.forebay.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The page, dentry and inode caches of the whole machine's kernel. */
public final class PageCache {
    private static final Path DROP = Path.of("/proc/sys/vm/drop_caches");

    /** Where the bytes of a file are when a reader begins. */
    public enum State {
        /** On the disk only. */
        DISK,
        /**
         * The page cache has the files that back a mount, but not the mount's own pages, unless it
         * has no backing files.
         */
        MEMORY;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private PageCache() {}

    /** Fails unless this process can drop the caches, which needs root. */
    public static void requireDroppable() {
        if (!Files.isWritable(DROP)) {
            throw new IllegalStateException(
                    DROP + " is not writable: benchmarks need root to read from a cold cache");
        }
    }

    /** Writes back dirty pages and drops everything that is not in use. */
    public static void drop() throws IOException, InterruptedException {
        Command.run("sync");
        Files.writeString(DROP, "3");
    }
}
