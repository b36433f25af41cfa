package dev.forebay.devstack.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;

/**
 * A program's AOT cache (JEP 483, 514 and 515): loaded and linked classes, and profiles of methods,
 * from a training run. {@code devstack train} writes it beside the program's jar.
 *
 * <p>The JVM compares the size and the modification time of every jar, its own build, and the
 * options for modules with those of the training run. If one differs, it logs the difference as an
 * error and starts without the cache, or not at all with {@code -XX:AOTMode=on}. The garbage
 * collector and the size of the heap may differ, except that the cache needs compressed references:
 * neither ZGC nor a heap of 32 GB or more.
 *
 * @param file the cache, which may not exist
 */
public record AotCache(Path file) {
    /**
     * The environment variable that says how starts use caches; its values are those of the JVM's
     * option AOTMode.
     */
    static final String MODE = "FOREBAY_AOT_MODE";

    /** How a start uses a cache. */
    public enum Mode {
        /** The start uses the cache if there is one. */
        AUTO,
        /** The start fails unless it can use its cache. */
        ON,
        /** The start ignores the cache. */
        OFF;

        /** Returns the mode that {@code FOREBAY_AOT_MODE} names, AUTO if it is not set. */
        public static Mode ofEnvironment() {
            String mode = System.getenv().getOrDefault(MODE, AUTO.name());
            return valueOf(mode.toUpperCase(Locale.ROOT));
        }
    }

    /** Returns the cache of a program with this jar. */
    public static AotCache of(Program program, Path jar) {
        String name = program.name().toLowerCase(Locale.ROOT).replace('_', '-');
        return new AotCache(jar.toAbsolutePath().resolveSibling(name + ".aot"));
    }

    /** Returns the JVM's options for a start that is to use the cache. */
    List<String> options(Mode mode) {
        return switch (mode) {
            case AUTO -> Files.exists(file) ? List.of(cache()) : List.of();
            case ON -> List.of("-XX:AOTMode=on", cache());
            case OFF -> List.of();
        };
    }

    /** Returns the JVM's options for a training run, which records what to put into the cache. */
    List<String> recording() {
        return List.of("-XX:AOTMode=record", "-XX:AOTConfiguration=" + recorded());
    }

    /** Returns the JVM's options that write the cache from the record, without the program. */
    List<String> creating() {
        return List.of(
                "-XX:AOTMode=create",
                "-XX:AOTConfiguration=" + recorded(),
                "-XX:AOTCache=" + unfinished());
    }

    /**
     * Moves the cache that {@link #creating} wrote to its place. Returns false if there is none.
     */
    public boolean publish() throws IOException {
        if (!Files.exists(unfinished())) {
            return false;
        }
        Path _ = Files.move(unfinished(), file, StandardCopyOption.ATOMIC_MOVE);
        return true;
    }

    private Path unfinished() {
        return file.resolveSibling(file.getFileName() + ".unfinished");
    }

    /** Returns the record that a training run leaves. */
    public Path recorded() {
        return file.resolveSibling(file.getFileName() + "conf");
    }

    private String cache() {
        return "-XX:AOTCache=" + file;
    }
}
