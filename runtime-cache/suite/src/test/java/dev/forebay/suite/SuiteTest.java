package dev.forebay.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.forebay.devstack.mount.Mounts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the command on a repository with one module, whose tests this class compiles. */
class SuiteTest {
    private static final String HEAD =
            """
            import org.junit.jupiter.api.*;
            import static org.junit.jupiter.api.Assertions.*;
            """;

    @TempDir Path repository;
    private Path module;

    @BeforeEach
    void makeRepository() throws IOException {
        module = Files.createDirectories(repository.resolve("runtime-cache/some"));
        Files.createDirectories(module.resolve("src/test/java"));
        Files.createDirectories(module.resolve("target/test-classes"));
        Files.writeString(
                module.resolve("target/test.classpath"), System.getProperty("java.class.path"));
        slowClasses("");
    }

    @Test
    void countsPassedFailedAndSkippedTests() throws Exception {
        compile(
                "MixedTest",
                """
                class MixedTest {
                    @Test void passes() {}
                    @Test void fails() { fail("the reason"); }
                    @Test @Disabled("needs a GPU") void isDisabled() {}
                    @Test void isAborted() { Assumptions.assumeTrue(false, "needs root"); }
                }
                """);
        Run run = suite();
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.output())
                .contains("1 passed, 1 failed, 2 skipped\n", "1  needs a GPU", "needs root")
                .as("the reason, also where only the end of the output is kept")
                .containsPattern(
                        "FAILED MixedTest.fails\\(\\): .*the reason \\(MixedTest.java:5\\)\n$");
        assertThat(failedOfFaults(run.output())).isEqualTo("{'MixedTest'}");
    }

    @Test
    void passesWhenAllTestsPass() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        assertThat(suite().status()).isZero();
    }

    @Test
    void aFailedSetUpFailsTheRun() throws Exception {
        compile(
                "SetUpTest",
                """
                class SetUpTest {
                    @BeforeAll static void setUp() { throw new IllegalStateException("no server"); }
                    @Test void passes() {}
                }
                """);
        Run run = suite();
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.output()).contains("no server");
    }

    @Test
    void aClassWithoutATestFails() throws Exception {
        compile("EmptyTest", "class EmptyTest {}");
        Run run = suite();
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.output()).contains("a test that runs");
    }

    @Test
    void aModuleWhoseTestsAreNotBuiltIsAnError() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        Path deep = Files.createDirectories(repository.resolve("some/deep/module"));
        Files.createDirectories(deep.resolve("src/test/java"));
        Run run = suite();
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.output())
                .isEqualTo(
                        "Module some/deep/module has src/test/java and no target/test.classpath:"
                                + " build it with 'make build'.\n");
    }

    @Test
    void aSecondRunInTheSameCloneIsRefused() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        Path lock = Files.createDirectories(repository.resolve("target/suite")).resolve("lock");
        Process other = CloneLockTest.hold(lock);
        try {
            Run refused = suite();
            assertThat(refused.status()).isEqualTo(2);
            assertThat(refused.output()).contains("running in this clone already");
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    void aStrictRunFailsIfATestIsSkippedForAnUnlistedReason() throws Exception {
        compile(
                "SkippedTest",
                """
                class SkippedTest {
                    @Test @Disabled("needs a GPU") void isDisabled() {}
                    @Test void isAborted() { Assumptions.assumeTrue(false, "no browser: it broke"); }
                }
                """);
        Files.writeString(
                repository.resolve("runtime-cache/suite/skips.txt"), "# of us\nneeds a [A-Z]+\n");

        assertThat(suite().status()).isZero();
        Run strict = suite("--strict");

        assertThat(strict.status()).isEqualTo(1);
        assertThat(strict.output())
                .contains("0 passed, 1 failed, 1 skipped", "no browser: it broke", "skips.txt");
    }

    @Test
    void aClassThatTakesTooLongFailsThoughItsTestsPass() throws Exception {
        compile(
                "SlowTest",
                "class SlowTest { @Test void sleeps() throws Exception { Thread.sleep(6500); } }");
        // The limit is stretched by a factor of 3 at most.
        slowClasses("SlowTest 2 it sleeps\n");
        Run run = suite();
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.output())
                .contains(
                        "FAILED SlowTest.duration: It took ",
                        "Its limit is 2 s",
                        "1 passed, 1 failed");
        assertThat(failedOfFaults(run.output())).as("time catches no fault").isEqualTo("set()");
    }

    /** Returns the failures that {@code faults.py} finds in an output. */
    private String failedOfFaults(String output) throws Exception {
        Path log = Files.writeString(repository.resolve("output.log"), output);
        Process python =
                new ProcessBuilder(
                                "python3",
                                "-Bc",
                                "import sys, faults; print(faults.failed_classes(open(sys.argv[1]).read()))",
                                log.toString())
                        .redirectErrorStream(true)
                        .start();
        return new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    @Test
    void aClassThatHangsIsKilledAndTheNextOneRuns() throws Exception {
        compile(
                "HangsTest",
                "class HangsTest { @Test void hangs() throws Exception { Thread.sleep(600_000); } }");
        compile("NextTest", "class NextTest { @Test void passes() {} }");
        slowClasses("HangsTest 3 it hangs\n");
        Run run = suite("--slots", "1");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.output())
                .containsPattern("did not end within \\d+ s")
                .contains("1 passed, 2 failed");
        assertThat(Files.readString(repository.resolve("target/suite/logs/HangsTest.log")))
                .as("the threads of the JVM")
                .contains("HangsTest.hangs");
    }

    /** Returns a class whose tests run in the order of their names. */
    private static String failsAndThen(String statement) {
        return """
                @TestMethodOrder(MethodOrderer.MethodName.class)
                class EarlierTest {
                    @Test void aFails() { fail("the earlier reason"); }
                    @Test void bPasses() {}
                    @Test void cDoesNotEnd() throws Exception { %s }
                    @Test void dIsNotReached() {}
                }
                """
                .formatted(statement);
    }

    @Test
    void aHangingClassReportsTheRunningTestAndEarlierOutcomes() throws Exception {
        compile("EarlierTest", failsAndThen("Thread.sleep(600_000);"));
        slowClasses("EarlierTest 3 it hangs\n");
        assertThat(suite().output())
                .contains("1 passed, 3 failed")
                .containsPattern("FAILED EarlierTest.aFails\\(\\): .*the earlier reason")
                .contains("FAILED EarlierTest.cDoesNotEnd(): The class did not end within ");
    }

    @Test
    void aJvmExitReportsTheRunningTestAndEarlierOutcomes() throws Exception {
        compile("EarlierTest", failsAndThen("Runtime.getRuntime().halt(3);"));
        assertThat(suite().output())
                .contains("1 passed, 2 failed")
                .containsPattern("FAILED EarlierTest.aFails\\(\\): .*the earlier reason")
                .contains("FAILED EarlierTest.cDoesNotEnd(): The JVM ended while the class was");
    }

    @Test
    void aJvmExitFailsItsClassAndTheNextOneRuns() throws Exception {
        compile(
                "EndsTest",
                "class EndsTest { @Test void ends() { Runtime.getRuntime().halt(3); } }");
        compile("NextTest", "class NextTest { @Test void passes() {} }");
        Run run = suite("--slots", "1");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.output())
                .contains("The JVM ended while the class was running", "1 passed, 1 failed");
    }

    @Test
    void runsOnlyTheNamedMethods() throws Exception {
        compile(
                "TwoTest",
                """
                class TwoTest {
                    @Test void first() {}
                    @Test void second() { fail(); }
                }
                """);
        assertThat(suite("--tests", "Two*#first").output()).contains("1 passed, 0 failed");
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        assertThat(suite("--tests", "TwoTest#first,FineTest").output())
                .as("the other class as a whole")
                .contains("2 passed, 0 failed");
        Run none = suite("--tests", "TwoTest#frist");
        assertThat(none.status()).isEqualTo(2);
        assertThat(none.output()).contains("No test matches [TwoTest#frist]");
    }

    @Test
    void aNameThatMatchesNothingIsAnError() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        Run run = suite("--tests", "FinTest");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.output()).contains("No test matches [FinTest]");
    }

    @Test
    void oneOfSeveralNamesThatMatchesNothingIsAnError() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        Run run = suite("--tests", "FineTest,GoneTest#passes");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.output()).isEqualTo("No test matches [GoneTest#passes] in [unit].\n");
    }

    @Test
    void oneOfSeveralNamesThatMatchesNoMethodIsAnError() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        compile("OtherTest", "class OtherTest { @Test void passes() {} }");
        Run run = suite("--tests", "FineTest,OtherTest#pases");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.output()).endsWith("No test matches [OtherTest#pases] in [unit].\n");
    }

    @Test
    void aPartWithoutClassesIsAnError() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        compile("PlainKubeIT", "class PlainKubeIT { @Test void passes() {} }");
        Run run = suite("--parts", "kube-slice");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.output()).contains("No test class belongs to [kube-slice]");
    }

    @Test
    void aTestMayHaveSeveralTags() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        compile(
                "TwoTagsKubeIT",
                """
                class TwoTagsKubeIT {
                    @Test @Tag("slice") @Tag("other") void passes() {}
                    @Test void isNotInTheSlice() { fail(); }
                }
                """);
        Run run = suite("--parts", "kube-slice");
        assertThat(run.output()).contains("2 passed, 0 failed");
        assertThat(run.status()).isZero();
    }

    @Test
    void aFailedJobFailsTheRun() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        Run run = suite("--job", "lint=sh -c 'echo untidy; exit 7'");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.output()).contains("ended with status 7", "untidy");
    }

    @Test
    void aHangingJobIsKilledWithItsChildren() throws Exception {
        Path pid = repository.resolve("pid");
        slowClasses("hangs 1 it hangs\n");
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        Run run = suite("--job", "hangs=sh -c 'sleep 600 & echo $! > %s; wait'".formatted(pid));
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.output()).containsPattern("did not end within \\d+ s");
        assertThat(isRunning(Long.parseLong(Files.readString(pid).strip()))).isFalse();
    }

    @Test
    void theTestsOfAPytestJobAreCounted() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        String pytest =
                "printf 'SKIPPED [2] t.py:1: no notebook\\n== 3 passed, 2 skipped in 1.20s ==\\n'";
        assertThat(suite("--job", "python=" + pytest).output())
                .endsWith("4 passed, 0 failed, 2 skipped\n")
                .contains("2  no notebook");
    }

    @Test
    void aChangedRunSkipsClassesThatPassedWithTheSameCode() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        assertThat(suite("--changed").output()).contains("1 passed, 0 failed");
        assertThat(suite("--changed").output()).contains("Nothing has changed");
        compile("FineTest", "class FineTest { @Test void passes() {} @Test void too() {} }");
        assertThat(suite("--changed").output()).contains("2 passed, 0 failed");
    }

    /** Tests read other files, too: they compare the documentation with the code. */
    @Test
    void aChangedRunRepeatsTestsIfADocumentHasChanged() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        assertThat(suite("--changed").output()).contains("1 passed, 0 failed");
        Path docs = Files.createDirectories(repository.resolve("docs"));
        Files.writeString(docs.resolve("settings.md"), "| `setting` | 1 |");
        assertThat(suite("--changed").output()).contains("1 passed, 0 failed");
        assertThat(suite("--changed").output()).contains("Nothing has changed");
    }

    @Test
    void aChangedRunRepeatsFailedClasses() throws Exception {
        compile("BadTest", "class BadTest { @Test void fails() { fail(); } }");
        assertThat(suite("--changed").status()).isEqualTo(1);
        assertThat(suite("--changed").status()).isEqualTo(1);
    }

    @Test
    void anInterruptedRunLeavesNoProcess() throws Exception {
        assertEndsWhenInterrupted("\"sh\", \"-c\", script");
    }

    /** The process is like a stack that is up: it has its own session, and its parent has ended. */
    @Test
    void anInterruptedRunLeavesNoDetachedProcess() throws Exception {
        assertEndsWhenInterrupted(
                "\"setsid\", \"--fork\", \"sh\", \"-c\", script,"
                        + " System.getProperty(\"java.io.tmpdir\")");
    }

    private void assertEndsWhenInterrupted(String command) throws Exception {
        Path pid = repository.resolve("pid");
        compile(
                "StartsTest",
                """
                class StartsTest {
                    @Test void startsAProcess() throws Exception {
                        String script = "echo $$ > %s; while :; do sleep 0.1; done";
                        new ProcessBuilder(%s).start();
                        Thread.sleep(600_000);
                    }
                }
                """
                        .formatted(pid, command));
        Process suite = start();
        while (!Files.exists(pid) || !Files.readString(pid).endsWith("\n")) {
            assertThat(suite.isAlive()).isTrue();
            Thread.sleep(20);
        }
        long child = Long.parseLong(Files.readString(pid).strip());
        suite.destroy();
        assertThat(suite.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(isRunning(child)).isFalse();
        assertThat(repository.resolve("target/suite/times.tsv"))
                .as("times of a part of a run")
                .doesNotExist();
    }

    @Test
    void aRunWhoseTestLeavesAProcessFails() throws Exception {
        compile(
                "LeavesTest",
                """
                class LeavesTest {
                    @Test void startsAProcess() throws Exception {
                        new ProcessBuilder("setsid", "--fork", "sh", "-c", "sleep 600; true",
                            System.getProperty("java.io.tmpdir")).start().waitFor();
                    }
                }
                """);
        Run run = suite();
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.output())
                .contains("1 passed, 1 failed")
                .containsPattern("FAILED leftovers.clean-up: .* the runner stopped process .*\n$");
        assertThat(repository.resolve("target/suite/passed")).doesNotExist();
    }

    @Test
    void aRunWhoseTestLeavesAMountFails() throws Exception {
        compile("MountsTest", mounts("java.io.tmpdir"));
        Run run = suite();
        assumeFalse(run.output().contains("1 skipped"), "cannot mount here");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.output())
                .contains("1 passed, 1 failed")
                .containsPattern("FAILED leftovers.clean-up: .* the runner unmounted .*/left\n$");
    }

    /** The mount is like one of a killed job's stack. */
    @Test
    void aRunWhoseJobLeavesAMountFails() throws Exception {
        compile("FineTest", "class FineTest { @Test void passes() {} }");
        Run run =
                suite(
                        "--job",
                        "stack=sh -c 'd=target/run-$$-1/left; mkdir -p $d;"
                                + " mount -t tmpfs none $d || echo SKIPPED [1] x: no'");
        assumeFalse(run.output().contains("1 skipped"), "cannot mount here");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.output())
                .containsPattern("FAILED leftovers.clean-up: .* the runner unmounted .*-1/left\n$");
    }

    /** Without a PATH the runner finds no umount. */
    @Test
    void aFailedCleanUpDoesNotPreventTheNextOne() throws Exception {
        compile("FirstTest", mounts("java.io.tmpdir").replace("Mounts", "First"));
        compile("SecondTest", mounts("user.dir").replace("Mounts", "Second"));
        Path output = repository.resolve("output");
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Process suite =
                command(List.of("--slots", "1"), Map.of("PATH", ""))
                        .redirectOutput(output.toFile())
                        .start();
        try {
            int status = suite.waitFor();
            String said = Files.readString(output);
            assumeFalse(said.contains("2 skipped"), "cannot mount here");
            assertThat(status).isEqualTo(1);
            assertThat(said)
                    .contains("2 passed, 2 failed")
                    .containsPattern("FAILED .* the runner could not clean up: cannot unmount /")
                    .containsPattern("clean up: cannot unmount .*/some/target/left: try")
                    .doesNotContain("\tat ");
        } finally {
            Mounts.below(temporary).forEach(Mounts::detach);
        }
    }

    private static String mounts(String property) {
        return """
                class MountsTest {
                    @Test void mounts() throws Exception {
                        var left = java.nio.file.Path.of(System.getProperty("%s"), "target/left");
                        java.nio.file.Files.createDirectories(left);
                        Process mount = new ProcessBuilder("/bin/mount", "-t", "tmpfs", "none",
                            left.toString()).start();
                        Assumptions.assumeTrue(mount.waitFor() == 0, "cannot mount here");
                    }
                }
                """
                .formatted(property);
    }

    private record Run(int status, String output) {}

    private Run suite(String... arguments) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
        List<String> all = new ArrayList<>(List.of("--parts", "unit"));
        all.addAll(List.of(arguments));
        int status = Main.run(repository, out, all.toArray(String[]::new));
        return new Run(status, output.toString(StandardCharsets.UTF_8));
    }

    private Process start() throws IOException {
        return command(List.of(), Map.of()).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    }

    private ProcessBuilder command(List<String> arguments, Map<String, String> environment) {
        List<String> all = new ArrayList<>();
        all.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        all.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
        all.addAll(List.of("-cp", System.getProperty("java.class.path")));
        all.addAll(List.of(Main.class.getName(), "--parts", "unit"));
        all.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(all);
        builder.environment().putAll(environment);
        return builder.directory(repository.toFile()).redirectErrorStream(true);
    }

    /**
     * Returns whether a process runs. A zombie has ended, although its parent has not waited for
     * it.
     */
    private static boolean isRunning(long pid) throws IOException {
        try {
            return !Files.readString(Path.of("/proc/%d/stat".formatted(pid))).contains(") Z ");
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private void slowClasses(String text) throws IOException {
        Path file = repository.resolve(Main.SLOW_CLASSES);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void compile(String name, String text) throws IOException {
        Path source = Files.writeString(repository.resolve(name + ".java"), HEAD + text);
        int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-proc:none",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "-d",
                                module.resolve("target/test-classes").toString(),
                                source.toString());
        assertThat(status).isZero();
    }
}
