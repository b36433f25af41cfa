package dev.forebay.devstack.tool;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A library out of a Debian package, unpacked without being installed. It may need no library but
 * the C library: programs that load it would not find others.
 *
 * @param apt where packages come from
 * @param name the package
 * @param file the library's name, in the package a link as a rule
 */
record DebianLibrary(Apt apt, String name, String file) implements Recipe {

    /** A library out of a package for this machine. */
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
