package dev.forebay.worker;

/** What tests measure on their way; {@code make bench-worker} gathers it. */
final class BenchOutput {
    private static final String MARK = "[bench] ";

    private BenchOutput() {}

    static void say(String line) {
        System.out.println(MARK + line);
    }
}
