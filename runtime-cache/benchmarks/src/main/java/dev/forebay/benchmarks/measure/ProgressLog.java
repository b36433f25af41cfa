package dev.forebay.benchmarks.measure;

/** Tells the person who waits for a benchmark what it does. */
public final class ProgressLog {
    private ProgressLog() {}

    /** Prints a line to the standard error stream. */
    public static void say(String line) {
        System.err.println("[bench] " + line);
    }
}
