package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A program out of a Debian package, with all the libraries that it needs and this machine has not,
 * unpacked without being installed.
 *
 * @param name of the package
 * @param program its name, and that of what starts it
 * @param path where the package has it; not that of a script that looks for it in {@code /usr}
 */
record DebianProgram(String name, String program, String path) implements Recipe {

    /** A program of the same name as its package. */
    DebianProgram(String name) {
        this(name, name);
    }

    /** A program in the package's {@code /usr/bin}. */
    DebianProgram(String name, String program) {
        this(name, program, "usr/bin/" + program);
    }

    @Override
    public void obtain(Machine machine, Path into, Path log) {
        String apt = DebianPackage.require(machine, "apt-get");
        String dpkg = DebianPackage.require(machine, "dpkg");
        try {
            Files.createDirectory(into.resolve("partial")); // apt-get wants it to be there
            try {
                download(apt, into, log);
            } catch (DevstackException e) {
                // The usual reason in a container: the lists of packages were never fetched.
                Command.run(into, Map.of(), log, List.of(apt, "update"));
                download(apt, into, log);
            }
            for (Path archive : archives(into)) {
                Command.run(into, Map.of(), log, List.of(dpkg, "-x", archive.toString(), "root"));
                Files.delete(archive);
            }
            Path start =
                    Files.writeString(
                            into.resolve(program),
                            """
                            #!/bin/sh
                            root="$(dirname "$(readlink -f "$0")")/root"
                            LD_LIBRARY_PATH=$(find "$root" -name '*.so*' -exec dirname {} + | sort -u | tr '\\n' ':')
                            export LD_LIBRARY_PATH
                            # Fonts are in there too if this machine had none.
                            if [ -d "$root/etc/fonts" ]; then export FONTCONFIG_SYSROOT="$root"; fi
                            exec "$root/%s" "$@"
                            """
                                    .formatted(path));
            Files.setPosixFilePermissions(start, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void download(String apt, Path into, Path log) {
        List<String> command =
                List.of(
                        apt,
                        "install",
                        "--download-only",
                        "--no-install-recommends",
                        "--yes",
                        "-o",
                        "Dir::Cache::archives=" + into,
                        name);
        Command.run(into, Map.of("DEBIAN_FRONTEND", "noninteractive"), log, command);
    }

    private static List<Path> archives(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".deb")).toList();
        }
    }
}
