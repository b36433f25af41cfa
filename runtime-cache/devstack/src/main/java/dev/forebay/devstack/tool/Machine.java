package dev.forebay.devstack.tool;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folders of this machine that hold programs and tools.
 *
 * @param path directories that may hold programs, in order
 * @param cache where obtained tools are kept
 */
public record Machine(List<Path> path, Path cache) {
    /** Folders where Go and Debian install programs, which PATH may lack. */
    private static final List<Path> USUAL =
            List.of(
                    Path.of("/usr/bin"),
                    Path.of("/bin"),
                    Path.of("/usr/sbin"),
                    Path.of("/usr/local/bin"),
                    Path.of("/usr/local/go/bin"));

    public Machine {
        path = List.copyOf(path);
    }

    /** Returns this machine. The cache is {@code FOREBAY_CACHE}, else {@code ~/.cache/forebay}. */
    public static Machine current() {
        Map<String, String> environment = System.getenv();
        Stream<Path> path =
                Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator, -1))
                        .filter(entry -> !entry.isEmpty())
                        .map(Path::of);
        String cache = environment.getOrDefault("FOREBAY_CACHE", "");
        return new Machine(
                Stream.concat(path, USUAL.stream()).distinct().toList(),
                cache.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".cache", "forebay")
                        : Path.of(cache).toAbsolutePath());
    }

    /** Returns the first program of this name. */
    public Optional<Path> program(String name) {
        return programs(name).findFirst();
    }

    /** Returns all programs of this name, in the order of the path. */
    Stream<Path> programs(String name) {
        return path.stream()
                .map(directory -> directory.resolve(name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file));
    }
}
