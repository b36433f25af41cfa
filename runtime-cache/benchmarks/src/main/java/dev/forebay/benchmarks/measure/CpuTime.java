package dev.forebay.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads the processor time of processes, user and system, from {@code /proc}; see proc_pid_stat(5).
 */
public final class CpuTime {
    /** USER_HZ, which is 100 on all architectures of Linux that have a JDK. */
    private static final double TICKS_PER_SECOND = 100;

    /** Counted from the state of the process, which follows its name in parentheses. */
    private static final int UTIME = 11;

    private static final int CHILDREN_UTIME = 13;

    private CpuTime() {}

    /** Returns the seconds of these processes and of their ended children. */
    public static double of(List<Long> processes) throws IOException {
        double seconds = 0;
        for (long process : processes) {
            String stat = Long.toString(process);
            seconds += times(stat, UTIME) + times(stat, CHILDREN_UTIME);
        }
        return seconds;
    }

    /** Returns the seconds of this process's ended children. */
    public static double ofEndedChildren() throws IOException {
        return times("self", CHILDREN_UTIME);
    }

    private static double times(String process, int field) throws IOException {
        String stat = Files.readString(Path.of("/proc", process, "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[field]) + Long.parseLong(fields[field + 1]))
                / TICKS_PER_SECOND;
    }
}
