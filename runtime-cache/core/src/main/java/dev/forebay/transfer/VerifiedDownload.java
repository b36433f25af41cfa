package dev.forebay.transfer;

import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Function;

/** Receives a file beside its place and moves it there once its digest is right. */
final class VerifiedDownload {

    private VerifiedDownload() {}

    /**
     * @param what the file is, for errors
     * @param receive receives the bytes, and says which digest they must have
     */
    static Digest to(Path file, String what, Function<Path, Digest> receive) {
        try {
            Path partial =
                    Files.createTempFile(file.toAbsolutePath().getParent(), "download", ".part");
            try {
                Digest expected = receive.apply(partial);
                Digest actual = digest(partial);
                if (!actual.equals(expected)) {
                    throw new ForebayException(
                            ErrorCode.CORRUPT,
                            "%s with SHA-256 %s arrived as %s".formatted(what, expected, actual));
                }
                Files.move(
                        partial,
                        file,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
                return actual;
            } finally {
                Files.deleteIfExists(partial);
            }
        } catch (IOException e) {
            throw new ForebayException(
                    ErrorCode.INTERNAL, "cannot store %s at %s: %s".formatted(what, file, e), e);
        }
    }

    static BodyHandler<byte[]> into(Path partial) {
        return info ->
                info.statusCode() == 200
                        ? BodySubscribers.mapping(BodySubscribers.ofFile(partial), _ -> new byte[0])
                        : Exchanges.limitedBytes().apply(info);
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
