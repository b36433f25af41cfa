package dev.forebay.devstack.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the program like the Makefile: from its source, without a library. */
class PrepareTest {
    private static final String SOURCE = "src/main/java/dev/forebay/devstack/tool/Prepare.java";

    @TempDir Path directory;

    /** Prepares a cache with the library. All servers are external. */
    @BeforeEach
    void cache() throws IOException {
        Path library = directory.resolve("libfuse2/2.9.9/libfuse.so.2");
        Files.createDirectories(library.getParent());
        Files.createFile(library);
    }

    @Test
    void theProgramPrintsNothingIfNothingIsMissing() throws Exception {
        Result result = prepare("exit 0");

        assertThat(result.printed()).isEmpty();
        assertThat(result.code()).isZero();
    }

    @Test
    void theProgramMakesAMissingTargetAndReportsProgress() throws Exception {
        Result result = prepare("[ \"$1\" = -q ] && exit 1; touch " + directory.resolve("made"));

        assertThat(result.printed())
                .startsWith("Missing: our programs. Preparing them usually takes up to 60 s.")
                .contains("our programs: started, usually takes 60 s", "our programs: done in");
        assertThat(result.code()).isZero();
        assertThat(directory.resolve("made")).exists();
    }

    @Test
    void theProgramFailsWithTheOutputOfAFailedTarget() throws Exception {
        Result result = prepare("echo 'cannot find symbol'; exit 2");

        assertThat(result.printed()).contains("make it failed:", "cannot find symbol");
        assertThat(result.code()).isEqualTo(1);
    }

    private record Result(int code, String printed) {}

    private Result prepare(String script) throws IOException, InterruptedException {
        Path make = directory.resolve("make");
        Files.writeString(make, "#!/bin/sh\n" + script + "\n");
        assertThat(make.toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin/java")
                                                .toString(),
                                        "-Xmx128m",
                                        "-XX:+UseSerialGC",
                                        "-XX:TieredStopAtLevel=1",
                                        SOURCE,
                                        make.toString(),
                                        "our programs=60=it"))
                        .redirectErrorStream(true);
        builder.environment()
                .putAll(
                        Map.of(
                                "FOREBAY_CACHE", directory.toString(),
                                "FOREBAY_ETCD_ENDPOINTS", "elsewhere",
                                "FOREBAY_TEMPORAL_TARGET", "elsewhere",
                                "FOREBAY_POSTGRES_URL", "elsewhere",
                                "FOREBAY_LAKE_ENDPOINT", "elsewhere"));
        builder.environment().remove("CLASSPATH");
        Process process = builder.start();
        String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return new Result(process.exitValue(), printed);
    }
}
