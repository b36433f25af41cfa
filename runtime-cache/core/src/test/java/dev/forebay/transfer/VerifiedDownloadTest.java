package dev.forebay.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.linux.ChildProcess;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerifiedDownloadTest {

    @TempDir private Path directory;

    /** Receives a file for which there is no room, and says why that fails. */
    static final class Receiving {
        public static void main(String[] arguments) {
            try {
                Digest _ =
                        VerifiedDownload.to(
                                Path.of(arguments[0]),
                                "a file",
                                _ -> {
                                    Files.write(Path.of("/dev/full"), new byte[1]);
                                    throw new AssertionError("there was room");
                                });
            } catch (ForebayException e) {
                System.out.printf("%s %s%n", e.code(), e.getMessage());
            }
        }
    }

    @Test
    void aFullDiskIsSaidToBeFullInWhateverLanguage() throws Exception {
        String failure =
                ChildProcess.inGerman(directory, Receiving.class, directory.resolve("file"));
        assertThat(failure)
                .startsWith("CAPACITY_EXCEEDED ")
                .contains("the disk of this node is full")
                .doesNotContain("No space left");
    }
}
