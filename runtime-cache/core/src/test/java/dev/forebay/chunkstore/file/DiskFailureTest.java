package dev.forebay.chunkstore.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.linux.ChildProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskFailureTest {

    private static final Path FULL = Path.of("/dev/full");

    @TempDir private Path directory;

    /**
     * Fills a disk and prints the classification of the error. Runs as a process in any language.
     */
    static final class Filling {
        public static void main(String[] arguments) throws IOException {
            try (FileChannel full = FileChannel.open(FULL, StandardOpenOption.WRITE)) {
                full.write(ByteBuffer.allocate(1));
            } catch (IOException e) {
                System.out.printf("%s %s%n", DiskFailure.of(e), e.getMessage());
            }
        }
    }

    @Test
    void aFullDiskIsRecognisedInEnglish() throws Exception {
        assertThat(ChildProcess.inEnglish(Filling.class))
                .isEqualToIgnoringNewLines("FULL No space left on device");
    }

    @Test
    void aFullDiskIsRecognisedInOtherLanguages() throws Exception {
        assertThat(ChildProcess.inGerman(directory, Filling.class))
                .startsWith("FULL ")
                .doesNotContain("No space left");
    }
}
