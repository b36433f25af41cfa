package dev.forebay.chunkstore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskFailureTest {

    private static final Path FULL = Path.of("/dev/full");

    @TempDir private Path directory;

    /** A process in whatever language: fills a disk, and says what it takes that for. */
    static final class Filling {
        public static void main(String[] arguments) throws IOException {
            try (FileChannel full = FileChannel.open(FULL, StandardOpenOption.WRITE)) {
                full.write(ByteBuffer.allocate(1));
            } catch (IOException e) {
                System.out.printf("%s %s%n", DiskFailure.of(e), e.getMessage());
            }
        }
    }

    private String fill(Map<String, String> environment) throws Exception {
        ProcessBuilder filling =
                new ProcessBuilder(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Filling.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT);
        filling.environment().putAll(environment);
        return new String(filling.start().getInputStream().readAllBytes(), UTF_8);
    }

    @Test
    void aFullDiskIsKnownInEnglish() throws Exception {
        assertThat(fill(Map.of("LC_ALL", "C")))
                .isEqualToIgnoringNewLines("FULL No space left on device");
    }

    @Test
    void aFullDiskIsKnownInOtherLanguages() throws Exception {
        assumeTrue(
                Files.exists(Path.of("/usr/share/locale/de/LC_MESSAGES/libc.mo")),
                "the C library has no German messages here");
        Path locale = directory.resolve("de_DE.UTF-8");
        int exit =
                new ProcessBuilder("localedef", "-i", "de_DE", "-f", "UTF-8", locale.toString())
                        .start()
                        .waitFor();
        // 1 is for warnings.
        assumeTrue(exit <= 1 && Files.exists(locale), "cannot make a German locale here");
        assertThat(fill(Map.of("LC_ALL", "de_DE.UTF-8", "LOCPATH", directory.toString())))
                .startsWith("FULL ")
                .doesNotContain("No space left");
    }
}
