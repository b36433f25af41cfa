package dev.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageWriterTest {

    private static final Program PROGRAM = Program.ALL.getFirst();

    @TempDir private Path directory;

    @Test
    void equalFilesMakeEqualImagesWhateverTheirTimesAndDirectory() throws Exception {
        Path first = image("first", Instant.parse("2026-01-01T00:00:00Z"), "content");
        Path second = image("second", Instant.parse("2026-02-02T02:02:02Z"), "content");

        assertThat(second).hasSameBinaryContentAs(first);
    }

    @Test
    void aDifferentFileMakesADifferentImage() throws Exception {
        Path first = image("first", Instant.EPOCH, "content");
        Path second = image("second", Instant.EPOCH, "CONTENT");

        assertThat(Sha256.of(second)).isNotEqualTo(Sha256.of(first));
    }

    private Path image(String name, Instant time, String content)
            throws IOException, InterruptedException {
        Path tree = Files.createDirectory(directory.resolve(name));
        Path file = Files.writeString(tree.resolve("a.txt"), content);
        Files.createDirectory(tree.resolve("folder"));
        Files.setLastModifiedTime(file, FileTime.from(time));
        Path archive = directory.resolve(name + ".tar");
        ImageWriter.write(
                PROGRAM, "1", List.of(new Tree(tree, "/opt").layer("all", _ -> true)), archive);
        return archive;
    }
}
