package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Files out of a Debian package, unpacked without being installed.
 *
 * @param name the package
 * @param files the names of the files, links in the package as a rule if they are libraries
 */
record DebianPackage(String name, List<String> files) implements Recipe {
    DebianPackage {
        files = List.copyOf(files);
    }

    @Override
    public void obtain(Machine machine, Path into, Path log) {
        String apt = require(machine, "apt-get");
        String dpkg = require(machine, "dpkg");
        try {
            download(apt, into, log);
            Path unpacked = into.resolve("package");
            try (Stream<Path> files = Files.list(into)) {
                Path archive =
                        files.filter(file -> file.toString().endsWith(".deb"))
                                .findFirst()
                                .orElseThrow(
                                        () -> new DevstackException("apt-get brought no package"));
                Command.run(
                        into,
                        Map.of(),
                        log,
                        List.of(dpkg, "-x", archive.toString(), unpacked.toString()));
            }
            for (String file : files) {
                take(unpacked, file, into);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void take(Path unpacked, String file, Path into) throws IOException {
        try (Stream<Path> tree = Files.walk(unpacked)) {
            Path found =
                    tree.filter(path -> path.getFileName().toString().equals(file))
                            .filter(Files::isRegularFile)
                            .findFirst()
                            .orElseThrow(
                                    () ->
                                            new DevstackException(
                                                    "no %s in %s".formatted(file, name)));
            Files.copy(found.toRealPath(), into.resolve(file));
        }
    }

    private void download(String apt, Path into, Path log) {
        try {
            Command.run(into, Map.of(), log, List.of(apt, "download", name));
        } catch (DevstackException e) {
            // The usual reason in a container: the lists of packages were never fetched.
            Command.run(into, Map.of(), log, List.of(apt, "update"));
            Command.run(into, Map.of(), log, List.of(apt, "download", name));
        }
    }

    /** The path of a program that comes with Debian. */
    static String require(Machine machine, String program) {
        return machine.program(program)
                .map(Path::toString)
                .orElseThrow(
                        () ->
                                new DevstackException(
                                        "it comes from Debian, and there is no %s here"
                                                .formatted(program)));
    }
}
