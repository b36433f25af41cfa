package dev.forebay.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the build recipes of the Makefile respect the lock. The scripts for Maven and devstack
 * only write {@code target/new}.
 */
class CloneLockTest {
    private static final Path REPOSITORY = Path.of("../..");
    private static final String SOURCE =
            "runtime-cache/suite/src/main/java/dev/forebay/suite/CloneLock.java";

    @TempDir Path clone;

    @BeforeEach
    void makeClone() throws IOException {
        for (String copied : new String[] {"Makefile", SOURCE}) {
            Files.createDirectories(clone.resolve(copied).getParent());
            Files.copy(REPOSITORY.resolve(copied), clone.resolve(copied));
        }
        write("pom.xml", "");
        write("runtime-cache/pom.xml", "");
        write("runtime-cache/devstack/bin/jdk25", "echo " + System.getProperty("java.home"));
        write("runtime-cache/devstack/bin/devstack", "echo built > target/new");
        write("mvnw", "echo built > target/new");
        write("target/suite/lock", "");
        write("target/programs", "");
        write("target/built", "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "target/programs",
                "target/built",
                "target/aot",
                "target/benchmarks",
                "images"
            })
    void makeBuildsNothingWhileTestsRun(String target) throws Exception {
        Files.deleteIfExists(clone.resolve(target));
        Process tests = hold(clone.resolve("target/suite/lock"));
        try {
            assertThat(make(target)).contains(CloneLock.REFUSAL);
            assertThat(clone.resolve("target/new")).doesNotExist();
        } finally {
            tests.destroyForcibly().waitFor();
        }
        assertThat(make(target)).doesNotContain(CloneLock.REFUSAL);
        assertThat(clone.resolve("target/new")).exists();
    }

    /** Starts a process that holds the lock. */
    static Process hold(Path lock) throws IOException {
        Process holder =
                new ProcessBuilder(
                                "python3",
                                "-c",
                                "import fcntl, sys; f = open(sys.argv[1], 'w');"
                                        + " fcntl.lockf(f, fcntl.LOCK_EX); print('+', flush=True);"
                                        + " sys.stdin.read()",
                                lock.toString())
                        .start();
        assertThat(holder.getInputStream().read()).isEqualTo('+');
        return holder;
    }

    private String make(String target) throws Exception {
        Path output = clone.resolve("output");
        ProcessBuilder builder =
                new ProcessBuilder("make", target)
                        .directory(clone.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        // Removes the flags of the make that runs this test.
        builder.environment().remove("MAKEFLAGS");
        builder.start().waitFor();
        return Files.readString(output);
    }

    private void write(String name, String script) throws IOException {
        Path file = clone.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
