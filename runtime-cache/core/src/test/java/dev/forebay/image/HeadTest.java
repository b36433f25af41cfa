package dev.forebay.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.manifest.Pack;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeadTest {

    private static final ImageName NAME =
            new ImageName(DatasetVersion.of("team", "set", "v1"), new Digest("ab".repeat(32)));
    private static final PackId PACK = PackId.parse("cd".repeat(32));
    private static final long LARGEST_PACK = 0xffff_ffffL * 4096;

    @TempDir Path directory;

    @Test
    void namesEveryPackAndItsSize() throws IOException {
        PackId other = PackId.parse("0f".repeat(32));
        ImageReader read = write(List.of(new Pack(PACK, LARGEST_PACK), new Pack(other, 4097)));
        assertThat(read.devices()).isEqualTo(2);
        assertThat(read.deviceTag(1)).isEqualTo(PACK.toString());
        assertThat(read.deviceBlocks(1)).isEqualTo(0xffff_ffffL);
        assertThat(read.deviceTag(2)).isEqualTo(other.toString());
        assertThat(read.deviceBlocks(2)).isEqualTo(2);
        assertThat(read.label()).isEqualTo("fb-abababababab");
    }

    private ImageReader write(List<Pack> packs) throws IOException {
        Path file = directory.resolve("head");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            new Head(NAME, packs).write(channel, 1, 1, 2, 3);
        }
        return new ImageReader(file);
    }

    @Test
    void acceptsOnePackForEachDeviceNumber() throws IOException {
        List<Pack> most = Collections.nCopies(65_535, new Pack(PACK, 4096));
        assertThat(write(most).deviceTag(65_535)).isEqualTo(PACK.toString());
    }

    @Test
    void refusesPacksThatTheFormatCannotAddress() {
        assertTooLarge(List.of(new Pack(PACK, LARGEST_PACK + 1)), "pack cdcd.* of 17592186040321");
        assertTooLarge(Collections.nCopies(65_536, new Pack(PACK, 4096)), "65536 packs");
    }

    private static void assertTooLarge(List<Pack> packs, String message) {
        assertThatThrownBy(() -> new Head(NAME, packs))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE))
                .message()
                .containsPattern(message);
    }
}
