package dev.forebay.devstack.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ToolboxTest {
    @TempDir Path directory;

    private final AtomicInteger obtained = new AtomicInteger();
    private final ConcurrentLinkedQueue<String> progress = new ConcurrentLinkedQueue<>();
    private Path first;
    private Path second;
    private Path cache;
    private Toolbox toolbox;

    @BeforeEach
    void places() throws IOException {
        first = Files.createDirectory(directory.resolve("first"));
        second = Files.createDirectory(directory.resolve("second"));
        cache = directory.resolve("cache");
        toolbox =
                new Toolbox(
                        new Machine(List.of(first, second), cache), Progress.lines(progress::add));
    }

    @Test
    void theToolboxUsesASuitableProgramOnPath() throws IOException {
        program(first.resolve("server"), "server Version: 3.6.1");

        assertThat(toolbox.program(tool(this::succeed))).isEqualTo(first.resolve("server"));
        assertThat(obtained).hasValue(0);
    }

    @Test
    void theToolboxSkipsAnOutdatedProgramOnPath() throws IOException {
        program(first.resolve("server"), "server Version: 3.4.23");
        program(second.resolve("server"), "server Version: 3.6.1");

        assertThat(toolbox.program(tool(this::succeed))).isEqualTo(second.resolve("server"));
    }

    @Test
    void theToolboxSkipsAProgramThatFails() throws IOException {
        Files.writeString(first.resolve("server"), "#!/bin/sh\nexit 1\n");
        first.resolve("server").toFile().setExecutable(true);

        assertThat(toolbox.program(tool(this::succeed))).startsWith(cache);
    }

    @Test
    void theToolboxUsesTheCacheIfPathHasOnlyAnOutdatedProgram() throws IOException {
        program(first.resolve("server"), "server Version: 3.4.23");
        Path cached = Files.createDirectories(cache.resolve("server/3.6.16")).resolve("server");
        program(cached, "server Version: 3.6.16");

        assertThat(toolbox.program(tool(this::succeed))).isEqualTo(cached);
        assertThat(obtained).hasValue(0);
    }

    @Test
    void theToolboxObtainsAMissingProgramOnceAndReportsTheDuration() {
        Path program = toolbox.program(tool(this::succeed));

        assertThat(program).isEqualTo(cache.resolve("server/3.6.16/server")).exists();
        assertThat(toolbox.program(tool(this::succeed))).isEqualTo(program);
        assertThat(obtained).hasValue(1);
        assertThat(progress).first().asString().contains("server 3.6.16", "usually takes 35 s");
        assertThat(progress).last().asString().contains("server 3.6.16: done in");
    }

    @Test
    void theToolboxRemovesTheRemainsOfAnInterruptedBuild() throws IOException {
        Path half = Files.createDirectories(cache.resolve("server/3.6.16.unfinished-abc"));
        Files.writeString(half.resolve("server"), "half");
        Path empty = Files.createDirectories(cache.resolve("server/3.6.16"));

        assertThat(toolbox.program(tool(this::succeed))).isEqualTo(empty.resolve("server"));
        assertThat(obtained).hasValue(1);
        assertThat(half).doesNotExist();
    }

    /** A program that is not in what came is noticed as a missing file. */
    static Stream<RuntimeException> failures() {
        return Stream.of(
                new DevstackException("the registry said no"),
                new UncheckedIOException(new NoSuchFileException("the registry said no")));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aFailedRecipeLeavesNoFilesAndSaysWhatToDo(RuntimeException failure) throws IOException {
        Recipe failing =
                (machine, into, log) -> {
                    write(into.resolve("server"));
                    throw failure;
                };

        assertThatThrownBy(() -> toolbox.program(tool(failing)))
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("Cannot obtain server 3.6.16: ")
                .hasMessageContaining("the registry said no")
                .hasMessageContaining("The log is " + cache.resolve("server/3.6.16.log"))
                .hasMessageContaining("Alternative: put one on PATH.");
        try (var left = Files.list(cache.resolve("server"))) {
            assertThat(left).extracting(path -> path.getFileName().toString()).containsOnly("lock");
        }
    }

    @Test
    void aRecipeThatProducesNoProgramFails() {
        assertThatThrownBy(() -> toolbox.program(tool((machine, into, log) -> {})))
                .hasMessageContaining("the download has no server");
    }

    @Test
    void goInstallSaysHowToGetGoIfItIsMissing() {
        assertThatThrownBy(() -> toolbox.program(tool(new GoInstall("example.org/x", "v1"))))
                .hasMessageContaining("there is no go on PATH")
                .hasMessageContaining("https://go.dev/dl");
    }

    @Test
    void concurrentCallersObtainAToolOnce() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Path>> all =
                    java.util.stream.IntStream.range(0, 8)
                            .mapToObj(
                                    i -> threads.submit(() -> toolbox.program(tool(this::succeed))))
                            .toList();
            for (Future<Path> one : all) {
                assertThat(one.get()).exists();
            }
        }
        assertThat(obtained).hasValue(1);
    }

    @Test
    void theToolboxObtainsDifferentToolsInParallel() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        Recipe meeting =
                (machine, into, log) -> {
                    try {
                        both.await(10, TimeUnit.SECONDS);
                    } catch (Exception e) {
                        throw new DevstackException("alone", e);
                    }
                    write(into.resolve("server"));
                };
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Path> one = threads.submit(() -> toolbox.program(tool("one", meeting)));
            Future<Path> other = threads.submit(() -> toolbox.program(tool("other", meeting)));

            assertThat(one.get()).exists();
            assertThat(other.get()).exists();
        }
    }

    @ParameterizedTest
    @MethodSource("failures")
    void theSecondRecipeReplacesTheFilesOfAFailedFirstRecipe(RuntimeException failure) {
        Recipe failing =
                (machine, into, log) -> {
                    write(into.resolve("half"));
                    throw failure;
                };

        Path program = toolbox.program(tool(failing.orElse(this::succeed)));

        assertThat(program).exists();
        assertThat(program.resolveSibling("half")).doesNotExist();
    }

    @Test
    void theToolboxLacksAToolThatIsNeitherSuitableNorCached() throws IOException {
        Tool tool = tool(this::succeed);
        program(first.resolve("server"), "server Version: 3.4.23");
        assertThat(toolbox.lacks(tool)).isTrue();

        toolbox.program(tool);
        assertThat(toolbox.lacks(tool)).isFalse();
    }

    @Test
    void theVersionPatternsMatchOnlySupportedVersions() {
        assertThat("etcd Version: 3.4.23").doesNotContainPattern(Tool.ETCD.versionPattern());
        assertThat("etcd Version: 3.6.4").containsPattern(Tool.ETCD.versionPattern());
        assertThat("temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)")
                .containsPattern(Tool.TEMPORAL.versionPattern());
        assertThat("temporal version 1.1.0 (Server 1.25.0, UI 2.30.3)")
                .doesNotContainPattern(Tool.TEMPORAL.versionPattern());
        assertThat("Version  : v1.8.0").containsPattern(Tool.VERSITYGW.versionPattern());
        assertThat("Version  : v1.0.2").doesNotContainPattern(Tool.VERSITYGW.versionPattern());
        assertThat("Chromium 156.0.8078.79").containsPattern(Tool.CHROMIUM.versionPattern());
        assertThat("Chromium 90.0.4430.72").doesNotContainPattern(Tool.CHROMIUM.versionPattern());
        assertThat("postgres (PostgreSQL) 15.18").containsPattern(Tool.POSTGRES.versionPattern());
        assertThat("postgres (PostgreSQL) 9.6.1")
                .doesNotContainPattern(Tool.POSTGRES.versionPattern());
    }

    private static Tool tool(Recipe recipe) {
        return tool("server", recipe);
    }

    private static Tool tool(String name, Recipe recipe) {
        return new Tool(
                name,
                "3.6.16",
                "server",
                Pattern.compile("Version: 3\\.6\\."),
                Duration.ofSeconds(35),
                "put one on PATH",
                recipe);
    }

    private void succeed(Machine machine, Path into, Path log) {
        obtained.incrementAndGet();
        write(into.resolve("server"));
    }

    private static void write(Path file) {
        try {
            Files.writeString(file, "a program");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void program(Path file, String version) throws IOException {
        Files.writeString(file, "#!/bin/sh\necho '" + version + "'\n");
        file.toFile().setExecutable(true);
    }
}
