package dev.forebay.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A process with all that it has started. */
record ProcessTree(ProcessHandle root) {
    /** The unit of times in {@code /proc/<pid>/stat}: USER_HZ, which is 100 on every Linux. */
    private static final double TICKS_PER_SECOND = 100;

    /** The index of utime behind the name's bracket in {@code /proc/<pid>/stat}; see proc(5). */
    private static final int UTIME = 11;

    /**
     * Processor time so far, of those that run and of those that have ended and were waited for.
     */
    double cpuSeconds() {
        return all().mapToDouble(ProcessTree::cpuSeconds).sum();
    }

    private Stream<ProcessHandle> all() {
        return Stream.concat(Stream.of(root), root.descendants());
    }

    private static double cpuSeconds(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long ticks = 0;
            for (int i = UTIME; i < UTIME + 4; i++) {
                ticks += Long.parseLong(fields[i]);
            }
            return ticks / TICKS_PER_SECOND;
        } catch (IOException e) {
            return 0; // It has ended: its parent counts it.
        }
    }

    /**
     * Asks the root to end, which stops its servers in order; kills what is left then, or after a
     * while.
     */
    void end(Duration within) {
        List<ProcessHandle> all = all().toList();
        root.destroy();
        try {
            root.onExit().get(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // It is killed.
        }
        all.forEach(ProcessHandle::destroyForcibly);
    }
}
