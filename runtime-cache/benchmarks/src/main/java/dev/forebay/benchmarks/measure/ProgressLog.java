package dev.forebay.benchmarks.measure;

/** Prints the progress of a benchmark. */
public final class ProgressLog {
    private ProgressLog() {}

    /** Prints a line to the standard error stream. */
    public static void say(String line) {
        System.err.println("[bench] " + line);
    }
}
