package dev.forebay.manifest.sqlite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteJDBCLoader;

/**
 * Loads SQLite's native library without leaving files behind. The driver itself unpacks it into the
 * shared temporary directory until the process exits, so a killed process leaves it there. The
 * library remains usable when its file is deleted.
 */
final class NativeSqlite {

    private static final Logger LOG = LoggerFactory.getLogger(NativeSqlite.class);
    private static final String PREFIX = "forebay-sqlite-";

    /** Unpacking never takes this long, so the process that left the folder was killed. */
    private static final Duration ABANDONED = Duration.ofHours(1);

    private static boolean loaded;

    private NativeSqlite() {}

    /**
     * Loads the library, unless it is loaded already.
     *
     * @throws SQLException if it cannot be unpacked or loaded
     */
    static synchronized void load() throws SQLException {
        if (loaded) {
            return;
        }
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        removeAbandoned(temporary);
        try {
            Path folder = Files.createTempDirectory(temporary, PREFIX);
            try {
                System.setProperty("org.sqlite.tmpdir", folder.toString());
                loaded = SQLiteJDBCLoader.initialize();
            } finally {
                remove(folder);
            }
        } catch (Exception e) {
            throw new SQLException(
                    "cannot load SQLite's library from a folder in %s (java.io.tmpdir): %s"
                            .formatted(temporary, e),
                    e);
        }
    }

    private static void removeAbandoned(Path temporary) {
        Instant old = Instant.now().minus(ABANDONED);
        try (DirectoryStream<Path> all = Files.newDirectoryStream(temporary, PREFIX + "*")) {
            for (Path each : all) {
                if (Files.getLastModifiedTime(each).toInstant().isBefore(old)) {
                    remove(each);
                }
            }
        } catch (IOException e) {
            LOG.debug("Cannot clean up {}", temporary, e);
        }
    }

    private static void remove(Path folder) {
        try (Stream<Path> tree = Files.walk(folder)) {
            List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            // It may belong to another user.
            LOG.debug("Cannot delete {}", folder, e);
        }
    }
}
