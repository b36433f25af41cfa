package dev.forebay.worker;

/** Prints measurements of tests. {@code make bench-worker} collects them. */
final class BenchOutput {
    private static final String MARK = "[bench] ";

    private BenchOutput() {}

    static void say(String line) {
        System.out.println(MARK + line);
    }
}
