package dev.forebay.devstack.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveFilesTest {

    private static final int LOOKS = 500;
    private static final int TRANSIENT = 50;

    @TempDir Path directory;

    @Test
    void listsRegularFilesInOrder() throws IOException {
        Path b = file("b/1");
        Path a = file("a/b/2");
        Files.createSymbolicLink(directory.resolve("c"), b);
        Files.createDirectory(directory.resolve("d"));

        assertThat(LiveFiles.below(directory)).containsExactly(a, b);
        assertThat(LiveFiles.below(directory.resolve("none"))).isEmpty();
    }

    @Test
    void theListingToleratesFilesThatDisappear() throws Exception {
        Path stays = file("pack/stays");
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<?> restless =
                    threads.submit(
                            () -> {
                                while (!Thread.currentThread().isInterrupted()) {
                                    comeAndGo();
                                }
                                return null;
                            });
            for (int look = 0; look < LOOKS; look++) {
                List<Path> found = LiveFiles.below(directory);
                assertThat(found).contains(stays);
            }
            assertThat(restless.isDone()).as("files came and went all the time").isFalse();
        } finally {
            threads.shutdownNow();
            threads.close();
        }
    }

    private void comeAndGo() throws IOException {
        for (int i = 0; i < TRANSIENT; i++) {
            file("pack/%d/goes".formatted(i));
        }
        for (int i = 0; i < TRANSIENT; i++) {
            Files.delete(directory.resolve("pack/%d/goes".formatted(i)));
            Files.delete(directory.resolve("pack/%d".formatted(i)));
        }
    }

    private Path file(String name) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.createFile(file);
    }
}
