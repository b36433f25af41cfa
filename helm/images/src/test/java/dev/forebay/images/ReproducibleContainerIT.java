package dev.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Repeats 'make images' in another JVM, and checks that the result is equal except for the last
 * layer, the AOT caches: the JDK never makes the same cache twice.
 */
class ReproducibleContainerIT {

    private static final JsonMapper JSON = new JsonMapper();

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

        assertThat(reproducible(again))
                .hasSize(2 * Program.ALL.size())
                .isEqualTo(reproducible(MADE));
    }

    /** Returns the content that must be equal, by the name of the file. */
    private static Map<String, String> reproducible(Path images) throws Exception {
        Map<String, String> same = new TreeMap<>();
        try (Stream<Path> files = Files.list(images)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                same.put(name, name.endsWith(".tar") ? layers(file) : bill(file));
            }
        }
        return same;
    }

    /** Returns the image's settings and the digests of all layers except the last. */
    private static String layers(Path archive) throws Exception {
        JsonNode manifest = read(archive, "manifest.json").get(0);
        JsonNode config = read(archive, manifest.get("Config").asText());
        ArrayNode digests = (ArrayNode) config.at("/rootfs/diff_ids");
        assertThat(digests.size()).isGreaterThan(4);
        digests.remove(digests.size() - 1);
        return config.toPrettyString();
    }

    private static JsonNode read(Path archive, String file) throws Exception {
        return JSON.readTree(
                Command.run(
                        Path.of("").toAbsolutePath(),
                        List.of("tar", "-xOf", archive.toString(), file)));
    }

    /** Returns a bill without the digest of its image, which includes the last layer. */
    private static String bill(Path file) throws IOException {
        return Files.readString(file).replaceAll("@sha256%3A[0-9a-f]{64}", "");
    }
}
