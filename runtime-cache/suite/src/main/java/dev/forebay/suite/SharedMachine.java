package dev.forebay.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Tells how much of the processors other programs had, such as the tests of another clone, and for
 * how long all waited for the disk, so that a limit of time can mean a machine that has nothing
 * else to do. Thread-safe.
 */
final class SharedMachine {
    /** Limits are stretched so many times at most. */
    private static final double MOST = 3;

    /** As in {@link ProcessTree}. */
    private static final double TICKS_PER_SECOND = 100;

    private final ProcessTree ours = new ProcessTree(ProcessHandle.current());

    /**
     * A moment.
     *
     * @param nanos when it was, by {@link System#nanoTime}
     * @param busySeconds processor time of the whole machine since its start
     * @param ourSeconds of it, what this process and those that it started had
     * @param stalledSeconds for how long, since the start of the machine, each program that had
     *     something to do waited for a disk
     */
    record Moment(long nanos, double busySeconds, double ourSeconds, double stalledSeconds) {
        double secondsSince(Moment before) {
            return (nanos - before.nanos) / 1e9;
        }

        /**
         * How many times as long as on a machine of its own something may have taken: 1 if others
         * had nothing, 2 if they had half of the processors, or if the disk stalled for half of the
         * time.
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

    /** All states of the first line of {@code /proc/stat} but idle and iowait; see proc(5). */
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
            return 0; // Not a Linux: no limit is stretched.
        }
    }

    /** The kernel's pressure stall information; see Documentation/accounting/psi.rst of Linux. */
    private static double stalledSeconds() {
        try (var lines = Files.lines(Path.of("/proc/pressure/io"))) {
            return lines.filter(line -> line.startsWith("full "))
                    .mapToDouble(line -> Long.parseLong(line.replaceFirst(".*total=", "")) / 1e6)
                    .sum();
        } catch (IOException | UncheckedIOException e) {
            return 0; // A kernel without it.
        }
    }
}
