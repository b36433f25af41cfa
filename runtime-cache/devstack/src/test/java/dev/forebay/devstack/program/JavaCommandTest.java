package dev.forebay.devstack.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaCommandTest {
    @TempDir private Path directory;

    @Test
    void autoModeUsesTheAotCacheOnlyIfItExists() throws IOException {
        assertThat(start(AotCache.Mode.AUTO)).noneMatch(option -> option.contains("AOT"));

        Path cache = Files.createFile(directory.resolve("control-plane.aot"));

        assertThat(start(AotCache.Mode.AUTO)).contains("-XX:AOTCache=" + cache);
    }

    @Test
    void onModeNamesTheAotCacheEvenIfItIsMissing() {
        assertThat(start(AotCache.Mode.ON))
                .contains(
                        "-XX:AOTMode=on", "-XX:AOTCache=" + directory.resolve("control-plane.aot"));
    }

    @Test
    void offModeIgnoresTheAotCache() throws IOException {
        Path _ = Files.createFile(directory.resolve("control-plane.aot"));

        assertThat(start(AotCache.Mode.OFF)).noneMatch(option -> option.contains("AOT"));
    }

    @Test
    void trainingAndNormalStartsHaveTheSameModuleOptions() {
        List<String> training =
                JavaCommand.of(Program.CONTROL_PLANE, jar()).recording().build().stream()
                        .filter(option -> option.startsWith("--"))
                        .toList();

        assertThat(training)
                .isNotEmpty()
                .isEqualTo(
                        start(AotCache.Mode.ON).stream()
                                .filter(option -> option.startsWith("--"))
                                .toList());
    }

    @Test
    void publishMovesAnUnfinishedCacheToItsFinalName() throws IOException {
        AotCache cache = AotCache.of(Program.POD, jar());

        assertThat(cache.publish()).isFalse();
        Path _ = Files.writeString(directory.resolve("pod.aot.unfinished"), "all of it");

        assertThat(cache.publish()).isTrue();
        assertThat(directory.resolve("pod.aot")).hasContent("all of it");
    }

    private List<String> start(AotCache.Mode mode) {
        return JavaCommand.of(Program.CONTROL_PLANE, jar()).cache(mode).build();
    }

    private Path jar() {
        return directory.resolve("quarkus-run.jar");
    }
}
