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

/** A process and all processes that it has started. */
record ProcessTree(ProcessHandle root) {
    /** The unit of times in {@code /proc/<pid>/stat}: USER_HZ, which is 100 on every Linux. */
    private static final double TICKS_PER_SECOND = 100;

    /**
     * The index of utime after the bracket that ends the name in {@code /proc/<pid>/stat}; see
     * proc(5).
     */
    private static final int UTIME = 11;

    /**
     * Returns the processor time so far, in seconds, of running processes and of ended ones that
     * their parents have waited for.
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
            return 0; // The process has ended, so its parent's figures include it.
        }
    }

    /**
     * Asks the root to end, so that it stops its servers in order. Then kills the remaining
     * processes, also if the root does not end in time.
     */
    void end(Duration within) {
        List<ProcessHandle> all = all().toList();
        root.destroy();
        try {
            root.onExit().get(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // The loop below kills it.
        }
        all.forEach(ProcessHandle::destroyForcibly);
    }
}
