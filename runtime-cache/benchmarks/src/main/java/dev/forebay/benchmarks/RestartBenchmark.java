package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.measure.Results.FOREBAY;

import dev.forebay.benchmarks.measure.Command;
import dev.forebay.benchmarks.measure.MachineFacts;
import dev.forebay.benchmarks.measure.PageCache;
import dev.forebay.benchmarks.measure.PeakMemory;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.StoreLimits;
import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Opens a chunk store of many chunks, in packs of 1 TiB. The chunks are links to a few empty files:
 * a start reads only names, and links are faster to create. Prints a table and writes {@code
 * target/bench/restart-<chunks>.json}. Needs root, to drop the kernel's caches. Removes its files.
 */
public final class RestartBenchmark {

    private static final int ROUNDS = 3;
    private static final int CHUNKS_OF_PACK = 1 << 17;

    /** Less than the limit of ext4. */
    private static final int MOST_LINKS = 60_000;

    private static final double MEGABYTE = 1e6;

    private RestartBenchmark() {}

    /** Takes the number of chunks. */
    public static void main(String[] arguments) throws Exception {
        int chunks = Integer.parseInt(arguments[0]);
        PageCache.requireDroppable();
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Path store = Files.createTempDirectory(output, "restart-");
        Map<String, Object> circumstances = MachineFacts.atStart();
        circumstances.put("chunks", chunks);
        circumstances.put("max_heap_mb", Runtime.getRuntime().maxMemory() / MEGABYTE);
        Results results = new Results();
        try {
            System.err.println("[bench] making " + chunks + " files");
            makeFiles(store, chunks);
            for (int round = 0; round < ROUNDS; round++) {
                PageCache.drop();
                measure(results, "restart_nothing_cached", store, chunks);
                measure(results, "restart_again", store, chunks);
            }
        } finally {
            Command.run("rm", "-rf", store.toString());
        }
        MachineFacts.atEnd(circumstances);
        Path file = output.resolve("restart-%d.json".formatted(chunks));
        results.write(file, circumstances);
        System.out.println(results.table());
        System.err.println("[bench] written to " + file);
    }

    private static PackId pack(int number) {
        return PackId.parse("%064x".formatted(0x1234_5678_9abcL * (number + 1)));
    }

    private static void makeFiles(Path store, int chunks) throws IOException {
        for (int first = 0; first < chunks; first += CHUNKS_OF_PACK) {
            String hex = pack(first / CHUNKS_OF_PACK).toString();
            Path directory =
                    Files.createDirectories(
                            store.resolve("chunks").resolve(hex.substring(0, 2)).resolve(hex));
            Path file = directory.resolve("0");
            for (int index = 0; index < Math.min(CHUNKS_OF_PACK, chunks - first); index++) {
                Path path = directory.resolve(Integer.toString(index));
                if (index % MOST_LINKS == 0) {
                    file = path;
                    try (RandomAccessFile made = new RandomAccessFile(path.toFile(), "rw")) {
                        made.setLength(ChunkId.CHUNK_BYTES);
                    }
                } else {
                    Files.createLink(path, file);
                }
            }
        }
    }

    private static void measure(Results results, String name, Path store, int chunks)
            throws IOException {
        PeakMemory memory = PeakMemory.fromNow();
        long heapBefore = usedHeap();
        Duration cpuBefore = cpu();
        long began = System.nanoTime();
        try (ChunkStore opened =
                ChunkStore.open(
                        List.of(store), new StoreLimits(Long.MAX_VALUE, chunks), _ -> false)) {
            results.add(name, FOREBAY, "s", (System.nanoTime() - began) / 1e9);
            results.add(name + "_cpu", FOREBAY, "s", cpu().minus(cpuBefore).toMillis() / 1e3);
            results.add(name + "_peak_rss", FOREBAY, "MB", memory.residentBytes() / MEGABYTE);
            results.add(
                    name + "_heap",
                    FOREBAY,
                    "bytes/chunk",
                    (double) (usedHeap() - heapBefore) / chunks);
            int last = chunks - 1;
            boolean there =
                    opened.holds(
                            new ChunkId(pack(last / CHUNKS_OF_PACK), last % CHUNKS_OF_PACK), 0, 1);
            if (opened.stats().chunks() != chunks || !there) {
                throw new IllegalStateException("not all chunks were found");
            }
        }
    }

    /** Returns the processor time of this process so far, user and system. */
    private static Duration cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow();
    }

    /** Returns the used heap after a collection. */
    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
