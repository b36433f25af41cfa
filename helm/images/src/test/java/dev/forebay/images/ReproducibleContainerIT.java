package dev.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was made by 'make images' is made again, by another JVM, and is the same. */
class ReproducibleContainerIT {

    private static final Path MADE = Path.of("../../target/images");

    @TempDir private Path directory;

    @Test
    void theSameProgramsMakeTheSameImagesAndBills() throws Exception {
        Path again = directory.resolve("again");
        Command.run(
                Path.of("").toAbsolutePath(),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Duser.timezone=Asia/Seoul",
                        "dev.forebay.images.Images",
                        "../..",
                        again.toString()));

        assertThat(sums(again)).hasSize(2 * Program.ALL.size()).isEqualTo(sums(MADE));
    }

    private static Map<String, String> sums(Path images) throws IOException {
        Map<String, String> sums = new TreeMap<>();
        try (Stream<Path> files = Files.list(images)) {
            for (Path file : files.toList()) {
                sums.put(file.getFileName().toString(), Sha256.of(file));
            }
        }
        return sums;
    }
}
