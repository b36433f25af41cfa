package dev.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.tools.jib.api.buildplan.FileEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeTest {

    @TempDir private Path directory;

    @Test
    void linksResolveToFilesInTheTreeAndNotOnTheHost() throws IOException {
        Path passwd = Files.writeString(fresh("etc/passwd"), "mine");
        Files.createSymbolicLink(fresh("absolute"), Path.of("/etc/passwd"));
        Files.createSymbolicLink(fresh("lib/relative"), Path.of("../absolute"));
        Files.createSymbolicLink(fresh("folder"), Path.of("etc"));
        Files.createSymbolicLink(fresh("dangling"), Path.of("nowhere"));

        assertThat(entries())
                .containsEntry("/x/absolute", passwd)
                .containsEntry("/x/lib/relative", passwd)
                .doesNotContainKeys("/x/folder", "/x/dangling");
    }

    @Test
    void aLinkOutOfTheTreeIsRefused() throws IOException {
        Files.createSymbolicLink(fresh("out"), Path.of("../../etc/passwd"));

        assertThatThrownBy(this::entries)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("out");
    }

    @Test
    void filesHaveOneOfTwoModes() throws IOException {
        Files.setPosixFilePermissions(
                Files.writeString(fresh("program"), ""),
                PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(
                Files.writeString(fresh("file"), ""), PosixFilePermissions.fromString("rw-rw-rw-"));

        assertThat(
                        new Tree(directory, "/x")
                                .layer("x", _ -> true).getEntries().stream()
                                        .map(entry -> entry.getPermissions().toOctalString()))
                .containsExactly("644", "755");
    }

    private Path fresh(String path) throws IOException {
        Path file = directory.resolve(path);
        Files.createDirectories(file.getParent());
        return file;
    }

    private Map<String, Path> entries() throws IOException {
        return new Tree(directory, "/x")
                .layer("x", _ -> true).getEntries().stream()
                        .collect(
                                Collectors.toMap(
                                        entry -> entry.getExtractionPath().toString(),
                                        FileEntry::getSourceFile));
    }
}
