package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * Programs from a Debian package, unpacked without installation, with all dependencies except the C
 * library.
 *
 * @param apt where packages come from
 * @param name the package
 * @param paths of the programs in the package; no scripts that look for others in {@code /usr}
 */
record DebianPrograms(Apt apt, String name, List<String> paths) implements Recipe {
    DebianPrograms {
        paths = List.copyOf(paths);
    }

    /** Programs from a package for this machine. */
    DebianPrograms(String name, String... paths) {
        this(Apt.ofThisMachine(), name, List.of(paths));
    }

    @Override
    public void obtain(Machine machine, Path into, Path log) {
        Path root = apt.unpack(machine, name, into, log);
        for (String path : paths) {
            if (!Files.isExecutable(root.resolve(path))) {
                throw new DevstackException("no program %s in %s".formatted(path, name));
            }
            writeStart(into, path);
        }
    }

    private static void writeStart(Path into, String path) {
        try {
            Path start = into.resolve(Path.of(path).getFileName());
            Files.writeString(
                    start,
                    """
                    #!/bin/sh
                    root="$(dirname "$(readlink -f "$0")")/root"
                    LD_LIBRARY_PATH=$(find "$root" -name '*.so*' -exec dirname {} + | sort -u | tr '\\n' ':')
                    export LD_LIBRARY_PATH
                    if [ -d "$root/etc/fonts" ]; then export FONTCONFIG_SYSROOT="$root"; fi
                    exec "$root/%s" "$@"
                    """
                            .formatted(path));
            Files.setPosixFilePermissions(start, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
