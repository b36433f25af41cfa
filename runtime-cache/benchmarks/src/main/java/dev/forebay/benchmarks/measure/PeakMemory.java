package dev.forebay.benchmarks.measure;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Measures the peak memory use of this process since a moment. */
public final class PeakMemory {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path CLEAR = Path.of("/proc/self/clear_refs");
    private static final String MOST_RESIDENT = "VmHWM:";
    private static final String RESIDENT = "VmRSS:";

    private final List<MemoryPoolMXBean> heap;

    private PeakMemory(List<MemoryPoolMXBean> heap) {
        this.heap = heap;
    }

    public static PeakMemory fromNow() throws IOException {
        System.gc();
        List<MemoryPoolMXBean> heap =
                ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getType() == MemoryType.HEAP)
                        .toList();
        heap.forEach(MemoryPoolMXBean::resetPeakUsage);
        // 5 resets the peak resident set size; see proc_pid_clear_refs(5).
        Files.writeString(CLEAR, "5");
        return new PeakMemory(heap);
    }

    /** Returns the used heap, including uncollected objects, as the sum of the pools' own peaks. */
    public long heapBytes() {
        return heap.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();
    }

    /** Returns the peak resident size of the process, including pages of mapped files. */
    public long residentBytes() throws IOException {
        return bytes(STATUS, MOST_RESIDENT);
    }

    /** Returns the peak resident size of another process since its start. */
    public static long ofProcess(long pid) throws IOException {
        return bytes(status(pid), MOST_RESIDENT);
    }

    /** Returns the present resident size of another process. */
    public static long nowOfProcess(long pid) throws IOException {
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
