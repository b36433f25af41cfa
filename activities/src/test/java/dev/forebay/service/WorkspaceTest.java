package dev.forebay.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.forebay.model.ForebayException;
import dev.forebay.service.Workspace.Kept;
import dev.forebay.service.Workspace.Temporary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceTest {

    @TempDir Path root;

    private Workspace workspace;

    @BeforeEach
    void open() {
        workspace = new Workspace(root);
    }

    @Test
    void aKeptFolderStaysUntilItIsForgotten() throws IOException {
        try (Kept first = workspace.kept("run-1").orElseThrow()) {
            Files.writeString(first.path().resolve("f"), "x");
        }
        try (Kept next = new Workspace(root).kept("run-1").orElseThrow()) {
            assertThat(next.path().resolve("f")).hasContent("x");
            next.forget();
        }
        assertThat(root.resolve("kept")).isEmptyDirectory();
    }

    @Test
    void forgetRemovesAFolderByItsName() {
        workspace.kept("run-1").orElseThrow().close();
        workspace.forget("run-1");
        assertThat(root.resolve("kept")).isEmptyDirectory();
    }

    @Test
    void aDiskErrorFailsTheOpeningOfAFolderButNotItsRemoval() throws IOException {
        // Simulates a disk that is full or has failed.
        Files.delete(root.resolve("kept"));
        Files.createFile(root.resolve("kept"));
        assertThatExceptionOfType(ForebayException.class).isThrownBy(() -> workspace.kept("run-1"));
        assertThatNoException().isThrownBy(() -> workspace.forget("run-1"));
    }

    @Test
    void aKeptFolderHasOneOwnerAtATime() {
        try (Kept first = workspace.kept("run-1").orElseThrow()) {
            assertThat(first.path()).isDirectory();
            assertThat(workspace.kept("run-1")).isEmpty();
        }
        try (Kept next = workspace.kept("run-1").orElseThrow()) {
            assertThat(next.path()).isDirectory();
        }
    }

    @Test
    void aStartRemovesKeptFoldersThatAreDaysOld() throws IOException {
        for (String name : new String[] {"old", "new"}) {
            workspace.kept(name).orElseThrow().close();
        }
        Path old = root.resolve("kept").resolve("old");
        Files.writeString(old.resolve("f"), "x");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(5))));

        new Workspace(root);

        assertThat(old).doesNotExist();
        assertThat(root.resolve("kept").resolve("new")).isDirectory();
    }

    @Test
    void openingAFolderRemovesOldOnesWithoutARestart() throws IOException {
        workspace.kept("old").orElseThrow().close();
        Path old = root.resolve("kept").resolve("old");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(5))));

        try (Kept next = workspace.kept("new").orElseThrow()) {
            assertThat(next.path()).isDirectory();
        }

        assertThat(old).doesNotExist();
    }

    /** Each of them may be process 1 of its container. */
    @Test
    void aStartRemovesOnlyTheTemporaryFoldersOfDeadProcesses() throws Exception {
        Process other = other();
        Path theirs = Path.of(other.inputReader().readLine());
        try {
            new Workspace(root);
            assertThat(theirs).exists();
        } finally {
            other.destroyForcibly().waitFor();
        }

        new Workspace(root);

        assertThat(theirs).doesNotExist();
        try (Stream<Path> left = Files.list(root)) {
            assertThat(left).noneMatch(path -> theirs.toString().startsWith(path.toString()));
        }
    }

    private Process other() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Other.class.getName(),
                        root.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Uses a workspace until it is killed. */
    static final class Other {

        public static void main(String[] arguments) throws Exception {
            try (Temporary folder = new Workspace(Path.of(arguments[0])).temporary("test-")) {
                System.out.println(folder.path());
                new CountDownLatch(1).await();
            }
        }
    }
}
