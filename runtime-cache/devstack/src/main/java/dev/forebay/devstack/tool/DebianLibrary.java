package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A library from a Debian package, unpacked without installation. It may need only the C library,
 * because programs that load it would not find other libraries.
 *
 * @param apt where packages come from
 * @param name the package
 * @param file the name of the library, which is usually a link in the package
 */
record DebianLibrary(Apt apt, String name, String file) implements Recipe {

    /** A library from a package for this machine. */
    DebianLibrary(String name, String file) {
        this(Apt.ofThisMachine(), name, file);
    }

    @Override
    public void obtain(Machine machine, Path into, Path log) {
        Path root = apt.unpackAlone(machine, name, into, log);
        Path found =
                Trees.find(root, file)
                        .orElseThrow(
                                () -> new DevstackException("no %s in %s".formatted(file, name)));
        try {
            Files.copy(found.toRealPath(), into.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Trees.delete(root);
    }
}
