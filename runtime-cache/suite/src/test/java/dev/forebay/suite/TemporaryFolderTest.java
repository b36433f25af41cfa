package dev.forebay.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryFolderTest {

    @TempDir Path shared;

    @Test
    void aRunRemovesTheFolderOfAKilledRun() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        Path left = folder("suite-%d-7".formatted(ended.pid()));
        Path running = folder("suite-%d-7".formatted(ProcessHandle.current().pid()));
        Path others = folder("suite-of-others");

        Path made = TemporaryFolder.make(shared, line -> {});

        assertThat(left).doesNotExist();
        assertThat(running.resolve("0/file")).exists();
        assertThat(others.resolve("0/file")).exists();
        assertThat(made).isEmptyDirectory();
        TemporaryFolder.remove(made, Duration.ZERO, line -> {});
        assertThat(made).doesNotExist();
    }

    private Path folder(String name) throws IOException {
        Path folder = shared.resolve(name);
        Files.createDirectories(folder.resolve("0"));
        Files.createFile(folder.resolve("0/file"));
        return folder;
    }
}
