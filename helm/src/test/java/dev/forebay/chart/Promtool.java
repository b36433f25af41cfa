package dev.forebay.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.tool.Toolbox;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs Prometheus's own tool for rules. */
final class Promtool {

    private static final int SECONDS = 60;

    private Promtool() {}

    /** Runs the tool, and fails with its output if it reports an error. */
    static void succeeds(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(Toolbox.ofThisMachine().promtool().toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as(said).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
    }
}
