package dev.forebay.suite;

import dev.forebay.suite.fork.TestOutcome;
import dev.forebay.suite.fork.TestOutcome.Status;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints the progress and the result of a run for a person. Thread-safe. */
final class RunReport {
    /** The report omits passed classes that take less time. */
    private static final double WORTH_A_LINE_SECONDS = 5;

    private static final int SLOWEST = 10;
    private static final int TRACE_LINES = 40;
    private static final int LINE_LENGTH = 300;
    private static final int REASON_LENGTH = 160;
    private static final String FRAME = "\tat ";
    private static final Pattern OF_PYTEST = Pattern.compile("(FAILED|ERROR) .*");

    private final PrintStream out;
    private final long begin = System.nanoTime();
    private final List<ClassResult> results = new ArrayList<>();

    RunReport(PrintStream out) {
        this.out = out;
    }

    /** Adds a result, and prints it if it failed or took long. */
    synchronized void add(ClassResult result) {
        results.add(result);
        if (result.failed() || result.seconds() >= WORTH_A_LINE_SECONDS) {
            print(
                    "[%6.1f s] %-6s %5.1f s, %5.1f CPU s  %s",
                    elapsed(),
                    result.failed() ? "FAILED" : "passed",
                    result.seconds(),
                    result.cpuSeconds(),
                    result.name());
        }
        if (result.failed()) {
            result.outcomes().stream()
                    .filter(outcome -> outcome.status() == Status.FAILED)
                    .forEach(outcome -> print("%s%n%s", outcome.name(), indent(outcome)));
            print("    log: %s", result.log());
        }
    }

    private static String indent(TestOutcome outcome) {
        return outcome.detail()
                .lines()
                .limit(TRACE_LINES)
                .map(line -> "    " + line.substring(0, Math.min(line.length(), LINE_LENGTH)))
                .collect(Collectors.joining("\n"));
    }

    synchronized List<ClassResult> results() {
        return List.copyOf(results);
    }

    /** Returns whether no test has run or was skipped. */
    synchronized boolean isEmpty() {
        return results.stream().allMatch(result -> result.outcomes().isEmpty());
    }

    synchronized boolean failed() {
        return results.stream().anyMatch(ClassResult::failed);
    }

    /** Returns one line that sums up the run. */
    synchronized String summary() {
        return String.format(
                Locale.ROOT,
                "%d classes and jobs in %.1f minutes, with %.1f processor minutes on %d processors",
                results.size(),
                elapsed() / 60,
                results.stream().mapToDouble(ClassResult::cpuSeconds).sum() / 60,
                Runtime.getRuntime().availableProcessors());
    }

    /** Prints sums of modules, the slowest classes, skipped tests, and the reasons of failures. */
    synchronized void end(CpuComparison pace) {
        print("%n== Modules: seconds, processor seconds");
        Map<String, List<ClassResult>> modules =
                results.stream()
                        .collect(
                                Collectors.groupingBy(
                                        ClassResult::module, TreeMap::new, Collectors.toList()));
        modules.forEach(
                (module, its) ->
                        print(
                                "  %7.1f %7.1f  %s",
                                its.stream().mapToDouble(ClassResult::seconds).sum(),
                                its.stream().mapToDouble(ClassResult::cpuSeconds).sum(),
                                module));
        print("== The slowest classes: seconds, processor seconds");
        results.stream()
                .sorted(Comparator.comparingDouble(ClassResult::seconds).reversed())
                .limit(SLOWEST)
                .forEach(
                        result ->
                                print(
                                        "  %7.1f %7.1f  %s",
                                        result.seconds(), result.cpuSeconds(), result.name()));
        printSkipped();
        print("== %s: %.2f times the recorded ones", summary(), pace.ratio());
        print(
                "%d passed, %d failed, %d skipped",
                count(Status.PASSED), count(Status.FAILED), count(Status.SKIPPED));
        // Failures come last, because often only the end of the output is kept.
        results.stream().filter(ClassResult::failed).forEach(this::printReasons);
    }

    private void printReasons(ClassResult result) {
        result.outcomes().stream()
                .filter(outcome -> outcome.status() == Status.FAILED)
                .forEach(
                        outcome ->
                                print(
                                        "FAILED %s.%s: %s",
                                        result.name().replaceFirst(".*\\.", ""),
                                        outcome.name(),
                                        reason(result.name(), outcome)));
    }

    /**
     * Returns the message of a stack trace and the line of the test that failed, shortened. The
     * output of pytest has lines that sum up the failures, which this returns instead.
     */
    private static String reason(String test, TestOutcome outcome) {
        List<String> lines = outcome.detail().lines().toList();
        Stream<String> said =
                lines.stream().anyMatch(OF_PYTEST.asMatchPredicate())
                        ? lines.stream().filter(OF_PYTEST.asMatchPredicate())
                        : lines.stream().takeWhile(line -> !line.startsWith(FRAME));
        String what = said.collect(Collectors.joining(" ")).replaceAll("\\s+", " ");
        String where =
                lines.stream()
                        .filter(line -> line.startsWith(FRAME) && line.contains(test))
                        .findFirst()
                        .map(frame -> frame.replaceFirst(".*\\(", " ("))
                        .orElse("");
        return what.substring(0, Math.min(what.length(), REASON_LENGTH)) + where;
    }

    private void printSkipped() {
        Map<String, Long> reasons =
                results.stream()
                        .flatMap(result -> result.outcomes().stream())
                        .filter(outcome -> outcome.status() == Status.SKIPPED)
                        .collect(
                                Collectors.groupingBy(
                                        TestOutcome::reason, TreeMap::new, Collectors.counting()));
        if (!reasons.isEmpty()) {
            print("== Skipped: how many tests, and the reason");
            reasons.forEach((reason, count) -> print("  %4d  %s", count, reason));
        }
    }

    private long count(Status status) {
        return results.stream().mapToLong(result -> result.count(status)).sum();
    }

    private double elapsed() {
        return (System.nanoTime() - begin) / 1e9;
    }

    private void print(String format, Object... arguments) {
        out.printf(Locale.ROOT, format + "%n", arguments);
        out.flush();
    }
}
