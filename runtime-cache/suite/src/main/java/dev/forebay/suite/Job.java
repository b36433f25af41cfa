package dev.forebay.suite;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.suite.fork.TestOutcome;
import dev.forebay.suite.fork.TestOutcome.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command that is a part of the suite, such as the tests of the Python package.
 *
 * @param name for reports
 * @param command one command, which a shell runs in the directory of the repository
 */
record Job(String name, String command) implements Work {
    /** Matches the last line of pytest: "== 12 passed, 1 skipped in 3.20s ==". */
    private static final Pattern PASSED = Pattern.compile("\\b(\\d+) passed\\b.* in [\\d.]+s");

    /**
     * Matches a skipped test in the output of pytest -ra: "SKIPPED [1] tests/unit/x.py:7: no GPU".
     */
    private static final Pattern SKIPPED = Pattern.compile("^SKIPPED \\[(\\d+)] (\\S+): (.*)");

    private static final int TAIL_LINES = 60;

    /** Parses {@code name=command}. */
    static Job parse(String text) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException("--job is NAME=COMMAND, not " + text);
        }
        return new Job(text.substring(0, equals), text.substring(equals + 1));
    }

    @Override
    public String key() {
        return name;
    }

    /**
     * Starts the command and writes its output to a file. The shell replaces itself by the command,
     * so that signals reach the command.
     */
    Process start(Path repository, Path log) throws IOException {
        return new ProcessBuilder("/bin/sh", "-c", "exec " + command)
                .directory(repository.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    /**
     * Waits for the command, and reads from its output which tests it ran.
     *
     * @param limit after which the command counts as hung
     */
    List<TestOutcome> await(Process process, Path log, HangLimit limit)
            throws IOException, InterruptedException {
        boolean ended = limit.await(millis -> process.waitFor(millis, TimeUnit.MILLISECONDS));
        // The constructor replaces bytes that are not UTF-8, which a command may print.
        List<String> lines = new String(Files.readAllBytes(log), UTF_8).lines().toList();
        List<TestOutcome> outcomes = new ArrayList<>();
        for (String line : lines) {
            Matcher passed = PASSED.matcher(line);
            if (passed.find()) {
                int count = Integer.parseInt(passed.group(1));
                for (int i = 0; i < count; i++) {
                    outcomes.add(new TestOutcome(name, Status.PASSED, "", 0));
                }
            }
            Matcher skipped = SKIPPED.matcher(line);
            if (skipped.find()) {
                for (int i = 0; i < Integer.parseInt(skipped.group(1)); i++) {
                    outcomes.add(
                            new TestOutcome(skipped.group(2), Status.SKIPPED, skipped.group(3), 0));
                }
            }
        }
        if (!ended || process.exitValue() != 0) {
            String how =
                    ended
                            ? "ended with status " + process.exitValue()
                            : "did not end within " + limit.elapsed().toSeconds() + " s";
            String tail =
                    String.join(
                            "\n",
                            lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
            outcomes.add(
                    new TestOutcome(name, Status.FAILED, command + " " + how + "\n" + tail, 0));
        }
        return outcomes;
    }
}
