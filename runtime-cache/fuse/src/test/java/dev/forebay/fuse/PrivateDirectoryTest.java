package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.fuse.linux.Identity;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateDirectoryTest {

    @TempDir private Path directory;

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void refuses(Path path, String why) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> PrivateDirectory.make("--holder", path))
                .withMessageStartingWith("--holder: ")
                .withMessageContaining(path.toString())
                .withMessageContaining(why)
                .matches(e -> e.code() == ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void makeCreatesADirectoryForThisUserOnly() throws Exception {
        Path made = directory.resolve("run/holder");
        PrivateDirectory.make("--holder", made);
        assertThat(permissions(made)).isEqualTo("rwx------");
        PrivateDirectory.make("--holder", made);
    }

    @Test
    void makeKeepsADirectoryThatOthersCanOnlyRead() throws Exception {
        Path there = directory(directory.resolve("there"), "rwxr-xr-x");
        PrivateDirectory.make("--holder", there);
        Path link = Files.createSymbolicLink(directory.resolve("link"), there);
        PrivateDirectory.make("--holder", link);
        assertThat(permissions(there)).isEqualTo("rwxr-xr-x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxrwxr-x", "rwxr-xrwx", "rwxrwxrwx"})
    void makeRefusesADirectoryThatOthersCanWrite(String permissions) throws Exception {
        Path there = directory(directory.resolve("there"), permissions);
        refuses(there, "has " + permissions + ", but only this process's user or root may");
        Path link = Files.createSymbolicLink(directory.resolve("link"), there);
        refuses(link, "has " + permissions);
        assertThat(permissions(there)).isEqualTo(permissions);
    }

    @Test
    void makeRefusesADirectoryOfAnotherUser() throws Exception {
        assumeTrue(Identity.ofThisProcess().user() == 0, "only root can give a file away");
        Path there = directory(directory.resolve("there"), "rwx------");
        Files.setAttribute(there, "unix:uid", 4711);
        refuses(there, "belongs to user 4711");
    }

    @Test
    void makeRefusesAPathBelowAFile() throws Exception {
        refuses(Files.createFile(directory.resolve("file")).resolve("holder"), "cannot use");
    }

    private static Path directory(Path path, String permissions) throws IOException {
        Files.createDirectory(path);
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }
}
