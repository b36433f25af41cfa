package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Downloads Debian packages with all their dependencies, without root. It gives {@code apt-get} an
 * empty list of installed packages. The result is therefore complete on every machine, and stays
 * complete when a package is removed from the machine.
 *
 * @param configuration the directory that names the archives and their keys
 */
record Apt(Path configuration) {
    private static final Path OF_THIS_MACHINE = Path.of("/etc/apt");

    /** The folder for the temporary lists and archives of {@code apt-get}. */
    private static final String OWN = "apt";

    /** Left out: the C library must be that of the machine's dynamic loader. */
    private static final String C_LIBRARY = "libc6_";

    /** Ends the names of libraries since Debian 13 whose interface has the larger time type. */
    private static final String OTHER_ABI = "(t64)?";

    static Apt ofThisMachine() {
        return new Apt(OF_THIS_MACHINE);
    }

    /** Unpacks a package and its dependencies into {@code root}, within an empty directory. */
    Path unpack(Machine machine, String name, Path into, Path log) {
        String dpkg = require(machine, "dpkg-deb");
        Path root = into.resolve("root");
        for (Path archive : download(machine, name, into, log)) {
            Command.run(
                    into, Map.of(), log, List.of(dpkg, "-x", archive.toString(), root.toString()));
        }
        Trees.delete(into.resolve(OWN));
        return root;
    }

    /** Unpacks a package that depends only on the C library, in the same way. */
    Path unpackAlone(Machine machine, String name, Path into, Path log) {
        String dpkg = require(machine, "dpkg-deb");
        Path root = into.resolve("root");
        for (Path archive : download(machine, name, into, log)) {
            if (archive.getFileName().toString().matches(Pattern.quote(name) + OTHER_ABI + "_.*")) {
                requireNoDependency(dpkg, archive, into.resolve(OWN));
                Command.run(
                        into,
                        Map.of(),
                        log,
                        List.of(dpkg, "-x", archive.toString(), root.toString()));
            }
        }
        Trees.delete(into.resolve(OWN));
        return root;
    }

    private static void requireNoDependency(String dpkg, Path archive, Path directory) {
        Path answer = directory.resolve("depends");
        Command.run(
                directory,
                Map.of(),
                answer,
                List.of(dpkg, "--show", "--showformat=${Depends}", archive.toString()));
        try {
            String depends = Files.readString(answer).strip();
            if (!depends.matches("(libc6( \\([^)]*\\))?)?")) {
                throw new DevstackException(
                        "%s needs more than the C library: %s"
                                .formatted(archive.getFileName(), depends));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Path> download(Machine machine, String name, Path into, Path log) {
        String apt = require(machine, "apt-get");
        Path directory = into.resolve(OWN);
        Path archives = directory.resolve("archives");
        try {
            Files.createDirectories(archives.resolve("partial"));
            Files.createDirectories(directory.resolve("lists/partial"));
            Files.createFile(directory.resolve("status"));
            run(into, log, apt, directory, "update");
            run(
                    into,
                    log,
                    apt,
                    directory,
                    "install",
                    "--download-only",
                    "--no-install-recommends",
                    "--yes",
                    name);
            try (Stream<Path> files = Files.list(archives)) {
                return files.filter(file -> file.toString().endsWith(".deb"))
                        .filter(file -> !file.getFileName().toString().startsWith(C_LIBRARY))
                        .toList();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(Path into, Path log, String apt, Path directory, String... arguments) {
        List<String> command = new ArrayList<>(List.of(apt, "--quiet"));
        Map<String, String> options =
                Map.of(
                        "Dir::Etc", configuration.toString(),
                        "Dir::State", directory.toString(),
                        "Dir::State::status", directory.resolve("status").toString(),
                        "Dir::Cache", directory.toString(),
                        "APT::Sandbox::User", "", // the sandbox user cannot write to our folders
                        "Acquire::Languages", "none");
        options.forEach((name, value) -> command.addAll(List.of("-o", name + "=" + value)));
        command.addAll(List.of(arguments));
        Command.run(into, Map.of("DEBIAN_FRONTEND", "noninteractive"), log, command);
    }

    private static String require(Machine machine, String program) {
        return machine.program(program)
                .map(Path::toString)
                .orElseThrow(
                        () ->
                                new DevstackException(
                                        "it comes from Debian, but this machine has no %s"
                                                .formatted(program)));
    }
}
