package dev.forebay.benchmarks;

import static dev.forebay.benchmarks.Results.FOREBAY;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The cases. In a round each is measured for Forebay and for its yardstick directly after one
 * another; who goes first changes from round to round.
 *
 * @param mount where Forebay shows the datasets
 * @param stores where the workers keep chunks
 * @param plain a directory on the same disk, for what the AWS SDK downloads
 */
record Rounds(
        ControlPlane control,
        Lake lake,
        Path mount,
        List<Path> stores,
        Path plain,
        Results results) {
    static final String LARGE = "large";
    static final String SMALL = "small";

    private static final String SDK = "aws_sdk_download";
    private static final String RAW = "raw_directory";
    private static final double MEGABYTE = 1e6;

    /** Something that takes time, and says how many units of work it did. */
    @FunctionalInterface
    private interface Work {
        double run() throws Exception;
    }

    /** Something done before the clock starts. */
    @FunctionalInterface
    private interface Preparation {
        void run() throws Exception;
    }

    /** Registers the datasets and calls ensure for the first time: that also lists the lake. */
    void first() throws Exception {
        for (String name : List.of(LARGE, SMALL)) {
            control.register(name, "s3://" + Lake.BUCKET + "/" + name + "/");
            PageCache.drop();
            results.add("ensure_first_" + name, FOREBAY, "ms", millis(() -> control.ensure(name)));
        }
    }

    /** One round; its figures are kept if it counts. */
    void round(int number, boolean counts) throws Exception {
        Results kept = counts ? results : new Results();
        Rounds round = new Rounds(control, lake, mount, stores, plain, kept);
        boolean forebayFirst = number % 2 == 1;
        round.prewarm(forebayFirst);
        round.reads(forebayFirst);
        for (String name : List.of(LARGE, SMALL)) {
            kept.add("ensure_again_" + name, FOREBAY, "ms", millis(() -> control.ensure(name)));
        }
    }

    private void prewarm(boolean forebayFirst) throws Exception {
        both(
                forebayFirst,
                () -> prewarmed("prewarm_large", LARGE, "MB/s", Lake.LARGE_BYTES / MEGABYTE),
                () -> {
                    Tree.delete(plain.resolve(LARGE));
                    PageCache.drop();
                    rate(
                            "prewarm_large",
                            SDK,
                            "MB/s",
                            () -> {
                                lake.downloadLarge(plain);
                                return Lake.LARGE_BYTES / MEGABYTE;
                            });
                });
        both(
                forebayFirst,
                () -> prewarmed("prewarm_small", SMALL, "objects/s", Lake.SMALL_OBJECTS),
                () -> {
                    Tree.delete(plain.resolve(SMALL));
                    PageCache.drop();
                    rate(
                            "prewarm_small",
                            SDK,
                            "objects/s",
                            () -> {
                                lake.downloadSmall(plain);
                                return Lake.SMALL_OBJECTS;
                            });
                });
    }

    private void prewarmed(String name, String dataset, String unit, double units)
            throws Exception {
        control.evict(dataset);
        PageCache.drop();
        rate(
                name,
                FOREBAY,
                unit,
                () -> {
                    control.ensure(dataset);
                    return units;
                });
    }

    private void reads(boolean forebayFirst) throws Exception {
        for (boolean backingCached : List.of(false, true)) {
            String suffix = backingCached ? "_store_in_page_cache" : "_nothing_cached";
            read(forebayFirst, "read_large" + suffix, LARGE, 1, backingCached);
            for (int threads : List.of(1, 4)) {
                String name =
                        "read_small_" + threads + (threads == 1 ? "_thread" : "_threads") + suffix;
                read(forebayFirst, name, SMALL, threads, backingCached);
            }
        }
        both(
                forebayFirst,
                () -> walk(FOREBAY, mounted(SMALL)),
                () -> walk(RAW, plain.resolve(SMALL)));
    }

    private void walk(String system, Path root) throws Exception {
        PageCache.drop();
        rate("walk", system, "entries/s", () -> Tree.walk(root));
    }

    private void read(
            boolean forebayFirst, String name, String dataset, int threads, boolean backingCached)
            throws Exception {
        both(
                forebayFirst,
                () -> {
                    forgetInPod();
                    read(FOREBAY, name, mounted(dataset), threads, backingCached, stores);
                },
                () -> {
                    Path raw = plain.resolve(dataset);
                    read(RAW, name, raw, threads, backingCached, List.of(raw));
                });
    }

    private void read(
            String system, String name, Path root, int threads, boolean cached, List<Path> backing)
            throws Exception {
        List<Path> files = Tree.files(root);
        PageCache.drop();
        if (cached) {
            for (Path each : backing) {
                Tree.read(1, Tree.files(each));
            }
        }
        boolean large = files.size() == 1;
        long expected = large ? Lake.LARGE_BYTES : (long) Lake.SMALL_BYTES * Lake.SMALL_OBJECTS;
        rate(
                name,
                system,
                large ? "MB/s" : "files/s",
                () -> {
                    long bytes = Tree.read(threads, files);
                    if (bytes != expected) {
                        throw new IllegalStateException(
                                "%s: %d bytes instead of %d".formatted(root, bytes, expected));
                    }
                    return large ? bytes / MEGABYTE : files.size();
                });
    }

    /**
     * The pod remembers the last 256 MiB that were read. The large file is twice that, so reading
     * it leaves nothing of the small ones there, nor of its own beginning.
     */
    private void forgetInPod() throws Exception {
        Tree.read(1, Tree.files(mounted(LARGE)));
    }

    private Path mounted(String dataset) {
        return mount.resolve(ControlPlane.path(dataset));
    }

    private static void both(boolean forebayFirst, Preparation forebay, Preparation other)
            throws Exception {
        if (forebayFirst) {
            forebay.run();
            other.run();
        } else {
            other.run();
            forebay.run();
        }
    }

    private void rate(String name, String system, String unit, Work work) throws Exception {
        long began = System.nanoTime();
        double units = work.run();
        results.add(name, system, unit, units * 1e9 / (System.nanoTime() - began));
    }

    private static double millis(Preparation call) throws Exception {
        long began = System.nanoTime();
        call.run();
        return Duration.ofNanos(System.nanoTime() - began).toNanos() / 1e6;
    }
}
