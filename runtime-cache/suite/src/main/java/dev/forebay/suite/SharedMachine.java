package dev.forebay.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Measures how much processor time other programs took, such as the tests of another clone, and how
 * long all programs waited for the disk. With these figures, time limits mean a machine without
 * other load. Thread-safe.
 */
final class SharedMachine {
    /** The largest factor for limits. */
    private static final double MOST = 3;

    /** As in {@link ProcessTree}. */
    private static final double TICKS_PER_SECOND = 100;

    private final ProcessTree ours = new ProcessTree(ProcessHandle.current());

    /**
     * The counters at one moment.
     *
     * @param nanos when it was, by {@link System#nanoTime}
     * @param busySeconds processor time of the whole machine since its start
     * @param ourSeconds the share of this process and of the processes that it started
     * @param stalledSeconds time since the start of the machine during which every program that had
     *     work waited for a disk
     */
    record Moment(long nanos, double busySeconds, double ourSeconds, double stalledSeconds) {
        double secondsSince(Moment before) {
            return (nanos - before.nanos) / 1e9;
        }

        /**
         * Returns how many times as long as on an idle machine work may have taken. It is 1 if
         * other programs used nothing. It is 2 if they used half of the processors, or if the disk
         * stalled for half of the time.
         */
        double stretchSince(Moment before, int processors) {
            double others = busySeconds - before.busySeconds - (ourSeconds - before.ourSeconds);
            double lost = others / processors + stalledSeconds - before.stalledSeconds;
            double left = 1 - lost / secondsSince(before);
            return 1 / Math.clamp(left, 1 / MOST, 1.0);
        }
    }

    Moment now() {
        return new Moment(System.nanoTime(), busySeconds(), ours.cpuSeconds(), stalledSeconds());
    }

    /**
     * Sums all states in the first line of {@code /proc/stat} except idle and iowait; see proc(5).
     */
    private static double busySeconds() {
        try (var lines = Files.lines(Path.of("/proc/stat"))) {
            List<String> fields = List.of(lines.findFirst().orElseThrow().split(" +"));
            // user nice system (idle iowait) irq softirq steal; guest is part of user.
            long ticks = 0;
            for (int field : new int[] {1, 2, 3, 6, 7, 8}) {
                ticks += Long.parseLong(fields.get(field));
            }
            return ticks / TICKS_PER_SECOND;
        } catch (IOException e) {
            return 0; // Not Linux: limits stay as they are.
        }
    }

    /** Reads the pressure stall information; see Documentation/accounting/psi.rst of Linux. */
    private static double stalledSeconds() {
        try (var lines = Files.lines(Path.of("/proc/pressure/io"))) {
            return lines.filter(line -> line.startsWith("full "))
                    .mapToDouble(line -> Long.parseLong(line.replaceFirst(".*total=", "")) / 1e6)
                    .sum();
        } catch (IOException | UncheckedIOException e) {
            return 0; // This kernel does not have it.
        }
    }
}
