package dev.forebay.devstack.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.Supplier;

/** Creates random secrets, and keeps them in files that only their owner can read. */
public final class Secrets {
    private static final SecureRandom RANDOM = new SecureRandom();

    private Secrets() {}

    /** Returns random hexadecimal digits. */
    public static String random(int bytes) {
        byte[] secret = new byte[bytes];
        RANDOM.nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }

    /** Writes a file and replaces an existing one. */
    public static Path write(Path file, String text) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        create(file, text);
        return file;
    }

    /** Returns the text of a file. Writes the file first if it does not exist. */
    static String keptIn(Path file, Supplier<String> first) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            return create(file, first.get());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String create(Path file, String text) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, text);
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
