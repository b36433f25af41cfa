package dev.forebay.membership.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegionFileTest {

    private static final String ROOT = "/forebay/us-east-1/";
    private static final Map<String, String> KEYS =
            Map.of("workers/w-1", "{\"address\":\"http://w\"}", "mounts/ns/a/1", "\u00e9\n");

    @TempDir Path directory;
    private Path path;
    private RegionFile file;

    @BeforeEach
    void make() {
        path = directory.resolve("seen");
        file = new RegionFile(path, ROOT);
    }

    @Test
    void readReturnsTheLastWrittenKeys() {
        assertThat(file.read()).isEmpty();
        assertThat(file.write(Map.of("workers/w-2", "{}"))).isTrue();
        assertThat(file.write(KEYS)).isTrue();
        assertThat(new RegionFile(path, ROOT).read()).contains(KEYS);
        assertThat(directory.toFile().list()).containsOnly("seen", "seen.lock");
    }

    @Test
    void readIgnoresTheKeysOfAnotherRegion() {
        assertThat(file.write(KEYS)).isTrue();
        assertThat(new RegionFile(path, "/forebay/eu-west-1/").read()).isEmpty();
    }

    @Test
    void readDetectsEveryFlippedBit() throws Exception {
        assertThat(file.write(KEYS)).isTrue();
        byte[] whole = Files.readAllBytes(path);
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(path, flipped);
            boolean isTheLineFeed = bit / 8 == 8;
            assertThat(file.read().isPresent()).as("bit %d", bit).isEqualTo(isTheLineFeed);
        }
    }

    @Test
    void readIgnoresATruncatedFile() throws Exception {
        assertThat(file.write(KEYS)).isTrue();
        byte[] whole = Files.readAllBytes(path);
        for (int length = 0; length < whole.length; length++) {
            Files.write(path, Arrays.copyOf(whole, length));
            assertThat(file.read()).as("%d bytes", length).isEmpty();
        }
    }

    @Test
    void aFailedWriteReturnsFalseAndStoresNothing() throws Exception {
        Files.createDirectory(path.resolveSibling("seen.new"));
        assertThat(file.write(KEYS)).isFalse();
        assertThat(file.read()).isEmpty();
        Files.delete(path.resolveSibling("seen.new"));
        assertThat(file.write(KEYS)).isTrue();
        assertThat(file.read()).contains(KEYS);
    }
}
