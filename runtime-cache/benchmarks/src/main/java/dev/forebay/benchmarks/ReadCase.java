package dev.forebay.benchmarks;

import dev.forebay.benchmarks.measure.PageCache;
import dev.forebay.benchmarks.measure.Parallel;
import dev.forebay.benchmarks.measure.Timing;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * A way to read large files.
 *
 * @param random whether at random multiples of the block; otherwise from beginning to end
 * @param blockBytes of each call
 * @param threads that read at once; in sequence each reads its own file
 * @param direct with O_DIRECT, past the page cache
 * @param state of the page cache
 */
record ReadCase(
        boolean random, int blockBytes, int threads, boolean direct, PageCache.State state) {
    private static final int ALIGNMENT = 4096;
    private static final long SEED = 7;
    private static final OpenOption DIRECT = pastThePageCache();

    /** The amounts of one measurement. */
    private record Outcome(long bytes, long calls, double readerCpuSeconds) {}

    /** Returns O_DIRECT by reflection: every JDK has it, but the compiler warns about its class. */
    private static OpenOption pastThePageCache() {
        try {
            return (OpenOption)
                    Class.forName("com.sun.nio.file.ExtendedOpenOption")
                            .getField("DIRECT")
                            .get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JDK has no O_DIRECT", e);
        }
    }

    /** Returns all measured ways. */
    static List<ReadCase> all() {
        List<ReadCase> all = new ArrayList<>();
        for (int threads : List.of(1, 4)) {
            for (boolean direct : List.of(false, true)) {
                all.add(new ReadCase(false, 1 << 20, threads, direct, PageCache.State.DISK));
                all.add(new ReadCase(false, 256 << 10, threads, direct, PageCache.State.DISK));
                all.add(new ReadCase(true, 128 << 10, threads, direct, PageCache.State.DISK));
                all.add(new ReadCase(true, 4 << 10, threads, direct, PageCache.State.DISK));
            }
            all.add(new ReadCase(false, 1 << 20, threads, false, PageCache.State.MEMORY));
            all.add(new ReadCase(true, 128 << 10, threads, false, PageCache.State.MEMORY));
            all.add(new ReadCase(true, 4 << 10, threads, false, PageCache.State.MEMORY));
        }
        return all;
    }

    /** Returns whether the file system of a file supports this way. */
    boolean isPossible(Path file) throws IOException {
        try (FileChannel _ = FileChannel.open(file, options())) {
            return true;
        } catch (FileSystemException e) {
            if (direct && "Invalid argument".equals(e.getReason())) {
                return false;
            }
            throw e;
        }
    }

    private Set<OpenOption> options() {
        return direct ? Set.of(StandardOpenOption.READ, DIRECT) : Set.of(StandardOpenOption.READ);
    }

    String name() {
        return "%s_%s_t%d_%s_%s"
                .formatted(
                        random ? "rand" : "seq",
                        blockBytes < 1 << 20 ? (blockBytes >> 10) + "k" : (blockBytes >> 20) + "m",
                        threads,
                        direct ? "direct" : "buffered",
                        state.label());
    }

    String unit() {
        return random ? "reads/s" : "MB/s";
    }

    private double units(Outcome outcome) {
        return random ? outcome.calls : outcome.bytes / 1e6;
    }

    /** Reads, and returns the amounts. */
    Timing.Done done(List<Path> files, int divisor) throws Exception {
        Outcome outcome = read(files, divisor);
        return new Timing.Done(units(outcome), outcome.bytes(), outcome.readerCpuSeconds());
    }

    /**
     * Reads files.
     *
     * @param divisor of the number of random reads. Without it the raw directory takes a few tenths
     *     of a second
     */
    private Outcome read(List<Path> files, int divisor) throws Exception {
        AtomicLong bytes = new AtomicLong();
        AtomicLong calls = new AtomicLong();
        Set<OpenOption> options = options();
        double cpu;
        if (random) {
            int each = (blockBytes > ALIGNMENT ? 1_000 : count()) / divisor / threads;
            cpu =
                    Parallel.forEach(
                            threads,
                            IntStream.range(0, threads).boxed().toList(),
                            thread -> {
                                readAtRandom(
                                        files, options, new SplittableRandom(SEED + thread), each);
                                bytes.addAndGet((long) each * blockBytes);
                                calls.addAndGet(each);
                            });
        } else {
            cpu =
                    Parallel.forEach(
                            threads,
                            files,
                            file -> {
                                try (FileChannel in = FileChannel.open(file, options)) {
                                    ByteBuffer buffer = buffer();
                                    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                                        bytes.addAndGet(n);
                                        calls.incrementAndGet();
                                        buffer.clear();
                                    }
                                }
                            });
        }
        return new Outcome(bytes.get(), calls.get(), cpu);
    }

    private int count() {
        return state == PageCache.State.MEMORY ? 30_000 : 4_000;
    }

    private void readAtRandom(
            List<Path> files, Set<OpenOption> options, SplittableRandom random, int count)
            throws IOException {
        List<FileChannel> open = new ArrayList<>();
        try {
            for (Path file : files) {
                open.add(FileChannel.open(file, options));
            }
            long blocks = open.getFirst().size() / blockBytes;
            ByteBuffer buffer = buffer();
            for (int i = 0; i < count; i++) {
                FileChannel in = open.get(random.nextInt(open.size()));
                if (in.read(buffer.clear(), random.nextLong(blocks) * blockBytes) != blockBytes) {
                    throw new IOException("a short read of " + files);
                }
            }
        } finally {
            for (FileChannel each : open) {
                each.close();
            }
        }
    }

    private ByteBuffer buffer() {
        return ByteBuffer.allocateDirect(blockBytes + ALIGNMENT)
                .alignedSlice(ALIGNMENT)
                .limit(blockBytes)
                .slice();
    }
}
