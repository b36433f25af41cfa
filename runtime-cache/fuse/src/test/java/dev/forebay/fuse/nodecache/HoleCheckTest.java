package dev.forebay.fuse.nodecache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HoleCheckTest {

    @TempDir private Path directory;

    @Test
    void aFileSystemWithHolesIsAcceptedAndLeftEmpty() {
        Path packs = directory.resolve("cache/packs");
        HoleCheck.require("--cache-directory", packs);
        assertThat(packs).isEmptyDirectory();
    }

    @Test
    void aFileSystemWithoutHolesIsRefused() throws Exception {
        Assumptions.assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
                "only root may mount");
        run("mount", "-t", "ramfs", "none", directory.toString());
        try {
            assertThatThrownBy(
                            () ->
                                    HoleCheck.require(
                                            "--cache-directory", directory.resolve("packs")))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining("--cache-directory is " + directory)
                    .hasMessageContaining("cannot punch holes")
                    .hasMessageContaining("--pack-cache 0");
        } finally {
            run("umount", "-l", directory.toString());
        }
    }

    /** The cache itself handles such a disk, and logs it, when it is opened. */
    @Test
    void requireIgnoresOtherErrors() throws Exception {
        HoleCheck.require(
                "--cache-directory", Files.createFile(directory.resolve("file")).resolve("packs"));
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
    }
}
