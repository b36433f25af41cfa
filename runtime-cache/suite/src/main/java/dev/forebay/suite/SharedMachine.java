package dev.forebay.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Tells how much of the processors other programs had, such as the tests of another clone, so that
 * a limit of time can mean a machine that has nothing else to do. Thread-safe.
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
     */
    record Moment(long nanos, double busySeconds, double ourSeconds) {
        double secondsSince(Moment before) {
            return (nanos - before.nanos) / 1e9;
        }

        /**
         * How many times as long as on a machine of its own something may have taken: 1 if others
         * had nothing, 2 if they had half of the processors.
         */
        double stretchSince(Moment before, int processors) {
            double others = busySeconds - before.busySeconds - (ourSeconds - before.ourSeconds);
            double left = 1 - others / (secondsSince(before) * processors);
            return 1 / Math.clamp(left, 1 / MOST, 1.0);
        }
    }

    Moment now() {
        return new Moment(System.nanoTime(), busySeconds(), ours.cpuSeconds());
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
}
