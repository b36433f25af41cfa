package dev.forebay.fuse.linux;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MountTableTest {

    private static final String ROOT = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n";

    @Test
    void parseReadsAllFieldsAndEscapes() {
        String image =
                "90 22 0:55 /x\\040y /mnt/a\\040b\\134c ro - erofs /var/i\\011mage ro,directio\n";
        assertThat(MountTable.parse((ROOT + image).getBytes(ISO_8859_1)))
                .containsExactly(
                        new MountTable.Entry(22, 1, "8:1", "/", Path.of("/"), "ext4", "/dev/sda1"),
                        new MountTable.Entry(
                                90,
                                22,
                                "0:55",
                                "/x y",
                                Path.of("/mnt/a b\\c"),
                                "erofs",
                                "/var/i\tmage"));
    }

    @Test
    void parseAcceptsNamesThatAreNotValidUtf8() {
        String foreign = "91 22 0:56 / /mnt/\u00ff\u00e4 rw - tmpfs tmpfs rw\n";
        assertThat(MountTable.parse((foreign + ROOT).getBytes(ISO_8859_1)))
                .contains(
                        new MountTable.Entry(22, 1, "8:1", "/", Path.of("/"), "ext4", "/dev/sda1"));
    }

    /** The kernel escapes only blanks, tabs, newlines and backslashes. */
    @Test
    void parseAcceptsNamesWithACarriageReturn() {
        String foreign = "91 22 0:56 / /mnt/a\rb rw - tmpfs tmpfs rw\n";
        assertThat(MountTable.parse((foreign + ROOT).getBytes(ISO_8859_1)))
                .extracting(MountTable.Entry::mountpoint)
                .containsExactly(Path.of("/mnt/a\rb"), Path.of("/"));
    }

    @Test
    void readParsesTheMountTableOfTheKernel() throws Exception {
        assertThat(MountTable.read())
                .anyMatch(entry -> entry.mountpoint().equals(Path.of("/proc")));
    }
}
