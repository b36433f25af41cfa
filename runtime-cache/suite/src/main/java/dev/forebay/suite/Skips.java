package dev.forebay.suite;

import dev.forebay.suite.fork.TestOutcome;
import dev.forebay.suite.fork.TestOutcome.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The reasons for which tests may be skipped. Immutable. */
final class Skips {
    private final List<Pattern> allowed;

    private Skips(List<Pattern> allowed) {
        this.allowed = allowed;
    }

    /** Allows any reason, because not every machine has all that tests need. */
    static Skips any() {
        return new Skips(List.of(Pattern.compile(".*")));
    }

    /** Reads a list of regular expressions, one on each line. Comments begin with #. */
    static Skips read(Path file) throws IOException {
        return new Skips(
                Files.readAllLines(file).stream()
                        .filter(line -> !line.isBlank() && !line.startsWith("#"))
                        .map(Pattern::compile)
                        .toList());
    }

    /** Turns each skipped test into a failure if its reason is not allowed. */
    ClassResult judge(ClassResult result) {
        return new ClassResult(
                result.name(),
                result.module(),
                result.outcomes().stream().map(this::judge).toList(),
                result.seconds(),
                result.cpuSeconds(),
                result.log());
    }

    private TestOutcome judge(TestOutcome outcome) {
        String reason = outcome.reason();
        return outcome.status() != Status.SKIPPED
                        || allowed.stream().anyMatch(each -> each.matcher(reason).matches())
                ? outcome
                : new TestOutcome(
                        outcome.name(),
                        Status.FAILED,
                        "It was skipped: %s. Provide what is missing, or add the reason to %s."
                                .formatted(reason, Main.SKIPS),
                        outcome.millis());
    }
}
