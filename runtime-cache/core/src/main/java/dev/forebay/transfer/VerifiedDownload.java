package dev.forebay.transfer;

import dev.forebay.linux.ErrorNumber;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/**
 * Receives a file beside its place, under a name that begins with its own, and moves it there if
 * its digest is right.
 */
final class VerifiedDownload {

    private VerifiedDownload() {}

    /** Receives bytes into a file, and returns the digest that they must have. */
    @FunctionalInterface
    interface Receive {
        /** Throws an IOException if, and only if, the file cannot be written. */
        Digest into(Path partial) throws IOException;
    }

    /**
     * @param what a word for the file in errors
     * @throws ForebayException with a {@link NotStoredException} if it cannot be stored: {@code
     *     CAPACITY_EXCEEDED} if the disk is full
     */
    static Digest to(Path file, String what, Receive receive) {
        Path directory = Objects.requireNonNull(file.toAbsolutePath().getParent());
        try {
            Path partial = Files.createTempFile(directory, file.getFileName() + ".", ".part");
            try {
                return receive(file, what, receive, partial);
            } finally {
                Files.deleteIfExists(partial);
            }
        } catch (IOException e) {
            throw notStored(directory, what, e);
        }
    }

    private static Digest receive(Path file, String what, Receive receive, Path partial)
            throws IOException {
        Digest expected = receive.into(partial);
        Digest actual = digest(partial);
        if (!actual.equals(expected)) {
            throw new ForebayException(
                    ErrorCode.CORRUPT,
                    "%s with SHA-256 %s arrived as %s".formatted(what, expected, actual));
        }
        Files.move(
                partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return actual;
    }

    private static ForebayException notStored(Path directory, String what, IOException e) {
        boolean full = ErrorNumber.isFullDisk(e);
        return new ForebayException(
                full ? ErrorCode.CAPACITY_EXCEEDED : ErrorCode.INTERNAL,
                "cannot store %s in %s%s: %s"
                        .formatted(
                                what,
                                directory,
                                full ? ", the disk of this node is full" : " on this node",
                                e.getMessage()),
                new NotStoredException(e));
    }

    private static Digest digest(Path file) throws IOException {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            try (InputStream bytes = new DigestInputStream(Files.newInputStream(file), sha256)) {
                bytes.transferTo(OutputStream.nullOutputStream());
            }
            return new Digest(HexFormat.of().formatHex(sha256.digest()));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}
