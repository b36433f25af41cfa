package dev.forebay.fuse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.forebay.devstack.program.AotCache;
import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the packaged program with the AOT cache that a training run left beside it. */
class AotCacheIT {
    private static final Path DISTRIBUTION = Path.of("target/forebay-fuse").toAbsolutePath();
    private static final String JAR = "forebay-fuse.jar";

    @TempDir private Path directory;

    private record Answer(int status, String output) {}

    @BeforeEach
    void needACacheUnlessThisRunMustHaveOne() {
        assumeThat(
                        AotCache.Mode.ofEnvironment() == AotCache.Mode.ON
                                || Files.exists(AotCache.of(Program.POD, jar()).file()))
                .as("no AOT cache: run 'make aot'")
                .isTrue();
    }

    @Test
    void theProgramStartsWithItsCache() throws Exception {
        Answer answer = start(jar(), AotCache.Mode.ON);

        assertThat(answer.status()).as(answer.output()).isZero();
        assertThat(answer.output()).startsWith("forebay-fuse");
    }

    @Test
    void theCacheStaysUsableInACopyOfTheProgram() throws Exception {
        copyDistribution();

        Answer answer = start(directory.resolve(JAR), AotCache.Mode.ON);

        assertThat(answer.status()).as(answer.output()).isZero();
    }

    @Test
    void aStartThatRequiresTheCacheFailsIfTheJarIsNewer() throws Exception {
        copyDistribution();
        rebuildJar();

        Answer answer = start(directory.resolve(JAR), AotCache.Mode.ON);

        assertThat(answer.status()).isNotZero();
        assertThat(answer.output()).contains("Unable to use AOT cache");
    }

    @Test
    void aStartWithAnOptionalCacheReportsThatTheJarIsNewer() throws Exception {
        copyDistribution();
        rebuildJar();

        Answer answer = start(directory.resolve(JAR), AotCache.Mode.AUTO);

        assertThat(answer.status()).as(answer.output()).isZero();
        assertThat(answer.output()).contains("error").contains("[aot]").contains("forebay-fuse");
    }

    private static Path jar() {
        return DISTRIBUTION.resolve(JAR);
    }

    private void copyDistribution() throws IOException {
        try (Stream<Path> tree = Files.walk(DISTRIBUTION)) {
            for (Path each : tree.filter(file -> !file.equals(DISTRIBUTION)).toList()) {
                Path _ =
                        Files.copy(
                                each,
                                directory.resolve(DISTRIBUTION.relativize(each)),
                                StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    private void rebuildJar() throws IOException {
        Path _ =
                Files.setLastModifiedTime(
                        directory.resolve(JAR), FileTime.from(Instant.now().plusSeconds(5)));
    }

    private static Answer start(Path jar, AotCache.Mode mode) throws Exception {
        List<String> command = JavaCommand.of(Program.POD, jar).cache(mode).build();
        command.add("--version");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new Answer(process.waitFor(), output);
    }
}
