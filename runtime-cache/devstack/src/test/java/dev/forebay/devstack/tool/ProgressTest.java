package dev.forebay.devstack.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final Duration USUALLY = Duration.ofSeconds(35);

    @Test
    void aLogReportsTheStartTheUsualDurationAndTheEndOfAStep() {
        List<String> lines = new CopyOnWriteArrayList<>();
        Progress progress = Progress.lines(lines::add);

        try (Progress.Step step = progress.begin("etcd 3.6.16", USUALLY)) {
            step.done();
        }

        assertThat(lines)
                .containsExactly(
                        "etcd 3.6.16: started, usually takes 35 s", "etcd 3.6.16: done in 0 s");
    }

    @Test
    void aTerminalUpdatesTheLineOfEachStepInPlace() {
        ByteArrayOutputStream screen = new ByteArrayOutputStream();
        Progress progress =
                Progress.terminal(new PrintStream(screen, true, StandardCharsets.UTF_8));

        try (Progress.Step programs = progress.begin("programs", Duration.ofMinutes(2));
                Progress.Step etcd = progress.begin("etcd", USUALLY)) {
            programs.at("  [3/9] Forebay core ");
            progress.say("a line");
            etcd.done();
        }
        progress.say("the last line");

        String text = screen.toString(StandardCharsets.UTF_8);
        assertThat(text)
                .contains(
                        """
                        a line
                          programs: 0 s, usually 2 min ([3/9] Forebay core)
                          etcd: 0 s, usually 35 s
                        """);
        // Both lines are cleared: one step has finished, and the line of the other is repeated.
        assertThat(text)
                .contains("\033[A\033[2K\033[A\033[2Ketcd: done in 0 s\n  programs: 0 s, usually");
        assertThat(text).endsWith("\033[A\033[2Kthe last line\n");
    }

    @Test
    void aTerminalCutsLinesThatWouldWrap() {
        ByteArrayOutputStream screen = new ByteArrayOutputStream();
        Progress progress =
                Progress.terminal(new PrintStream(screen, true, StandardCharsets.UTF_8));

        try (Progress.Step step = progress.begin("programs", USUALLY)) {
            step.at("x".repeat(200));
            progress.say("a line");
        }

        assertThat(screen.toString(StandardCharsets.UTF_8).lines())
                .allMatch(line -> line.replaceAll("\033\\[\\d?[AK]", "").length() < 80);
    }
}
