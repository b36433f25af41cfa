package dev.forebay.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The most memory that this process took since some moment. */
final class PeakMemory {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path CLEAR = Path.of("/proc/self/clear_refs");
    private static final String MOST_RESIDENT = "VmHWM:";
    private static final String RESIDENT = "VmRSS:";

    private final List<MemoryPoolMXBean> heap;

    private PeakMemory(List<MemoryPoolMXBean> heap) {
        this.heap = heap;
    }

    static PeakMemory fromNow() throws IOException {
        System.gc();
        List<MemoryPoolMXBean> heap =
                ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getType() == MemoryType.HEAP)
                        .toList();
        heap.forEach(MemoryPoolMXBean::resetPeakUsage);
        // proc_pid_clear_refs(5): 5 resets the peak resident set size.
        Files.writeString(CLEAR, "5");
        return new PeakMemory(heap);
    }

    /** What was in use, live or not yet collected, summed over the pools' own peaks. */
    long heapBytes() {
        return heap.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();
    }

    /** All of the process, pages of mapped files included. */
    long residentBytes() throws IOException {
        return bytes(STATUS, MOST_RESIDENT);
    }

    /** Of another process, since it began. */
    static long ofProcess(long pid) throws IOException {
        return bytes(status(pid), MOST_RESIDENT);
    }

    /** What another process takes at this moment. */
    static long nowOfProcess(long pid) throws IOException {
        return bytes(status(pid), RESIDENT);
    }

    private static Path status(long pid) {
        return Path.of("/proc", Long.toString(pid), "status");
    }

    private static long bytes(Path status, String field) throws IOException {
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith(field)) {
                String kibibytes = line.substring(field.length()).replace("kB", "").strip();
                return 1024 * Long.parseLong(kibibytes);
            }
        }
        throw new IOException("no " + field + " in " + status);
    }
}
