package dev.forebay.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderTest {

    @TempDir Path shared;

    @Test
    void allProcessesOfAUserShareOnePrivateFolder() throws IOException {
        Path folder = PrivateFolder.in(shared);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
        assertThat(PrivateFolder.in(shared)).isEqualTo(folder);
    }

    @Test
    void aFolderThatOthersCanEnterIsNotUsed() throws IOException {
        Path open = Files.createDirectory(shared.resolve("forebay-work-a"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path elsewhere = Files.createDirectory(shared.resolve("elsewhere"));
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwx------"));
        Path link = Files.createSymbolicLink(shared.resolve("forebay-work-b"), elsewhere);
        Path file = Files.createFile(shared.resolve("forebay-work-c"));

        assertThat(PrivateFolder.in(shared)).isNotIn(open, link, file);
    }

    @Test
    void aFolderOfAnotherUserIsNotUsed() throws IOException {
        Path others = PrivateFolder.in(shared);
        int user = (int) Files.getAttribute(others, "unix:uid");
        assumeTrue(user == 0, "only root can give a folder away");
        Files.setAttribute(others, "unix:uid", 12_345);

        assertThat(PrivateFolder.in(shared)).isNotEqualTo(others);
    }
}
