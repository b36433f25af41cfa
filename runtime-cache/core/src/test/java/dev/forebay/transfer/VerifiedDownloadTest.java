package dev.forebay.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.linux.ChildProcess;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerifiedDownloadTest {

    @TempDir private Path directory;

    /** Receives a file on a full disk, and prints the failure. */
    static final class Receiving {
        public static void main(String[] arguments) {
            try {
                Digest _ =
                        VerifiedDownload.to(
                                Path.of(arguments[0]),
                                "a file",
                                _ -> {
                                    Files.write(Path.of("/dev/full"), new byte[1]);
                                    throw new AssertionError("there was space");
                                });
            } catch (ForebayException e) {
                System.out.printf("%s %s%n", e.code(), e.getMessage());
            }
        }
    }

    @Test
    void aFullDiskFailsWithCapacityExceededInAnyLanguage() throws Exception {
        String failure =
                ChildProcess.inGerman(directory, Receiving.class, directory.resolve("file"));
        assertThat(failure)
                .startsWith("CAPACITY_EXCEEDED ")
                .contains("the disk of this node is full")
                .doesNotContain("No space left");
    }

    @Test
    void aFileWithAWrongDigestIsNotKept() {
        Path file = directory.resolve("file");
        assertThatThrownBy(
                        () ->
                                VerifiedDownload.to(
                                        file,
                                        "a file",
                                        partial -> {
                                            Files.write(partial, new byte[] {1});
                                            return new Digest("0".repeat(64));
                                        }))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
        assertThat(directory).isEmptyDirectory();
    }

    /** The name tells a later clean-up which file a killed process was receiving. */
    @Test
    void aPartialFileIsNamedAfterItsTarget() {
        List<String> coming = new ArrayList<>();
        Path file = directory.resolve("file");
        assertThatThrownBy(
                        () ->
                                VerifiedDownload.to(
                                        file,
                                        "a file",
                                        partial -> {
                                            coming.add(partial.getFileName().toString());
                                            throw new IOException("killed");
                                        }))
                .isInstanceOf(ForebayException.class);
        assertThat(coming).singleElement().asString().startsWith("file.").endsWith(".part");
        assertThat(directory).isEmptyDirectory();
    }
}
