package dev.forebay.benchmarks.measure;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Measures the processor time of a JVM's compilers by the times of its threads in {@code /proc}.
 */
public final class CompilerTime {
    /** USER_HZ, which is 100 on all architectures of Linux that have a JDK. */
    private static final double TICKS_PER_SECOND = 100;

    /** The index of utime, which stime follows, counted from the state behind the name. */
    private static final int UTIME = 11;

    private CompilerTime() {}

    /**
     * Returns the seconds that threads of the compilers have used. Idle threads end and are no
     * longer counted, unless the JVM runs with {@code -XX:-UseDynamicNumberOfCompilerThreads}.
     */
    public static double of(long process) throws IOException {
        double seconds = 0;
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(Path.of("/proc", Long.toString(process), "task"))) {
            for (Path thread : threads) {
                String stat = Files.readString(thread.resolve("stat"));
                int name = stat.lastIndexOf(')');
                if (stat.substring(0, name).matches("(?s).*\\(C[12] CompilerThre.*")) {
                    String[] fields = stat.substring(name + 2).split(" ", -1);
                    seconds +=
                            (Long.parseLong(fields[UTIME]) + Long.parseLong(fields[UTIME + 1]))
                                    / TICKS_PER_SECOND;
                }
            }
        }
        return seconds;
    }
}
