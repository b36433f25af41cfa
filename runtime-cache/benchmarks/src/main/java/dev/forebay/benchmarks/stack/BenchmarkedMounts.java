package dev.forebay.benchmarks.stack;

import dev.forebay.benchmarks.measure.BenchmarkedSystem;
import dev.forebay.benchmarks.measure.PageCache;
import dev.forebay.benchmarks.measure.ProgressLog;
import dev.forebay.benchmarks.measure.Timing;
import dev.forebay.devstack.mount.Mounts;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.stack.FuseMount;
import dev.forebay.devstack.stack.QuarkusProcess;
import dev.forebay.devstack.stack.Region;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The mounts to compare. Each starts when a benchmark first needs it. */
public final class BenchmarkedMounts implements AutoCloseable {
    /**
     * Small memory caches, so that benchmarks measure the packs on disk and not pieces in memory.
     */
    private static final Map<String, String> POD =
            Map.of("--memory-cache", "64M", "--transport", "kernel");

    private static final Set<BenchmarkedSystem> NATIVE =
            Set.of(BenchmarkedSystem.NATIVE, BenchmarkedSystem.NATIVE_LOOPS);

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final Region region;
    private final MountTable table;
    private final Lake lake;
    private final Path data;
    private final List<Dataset> warm;
    private final Peers peers;
    private final Map<BenchmarkedSystem, OneProcessServer> servers =
            new EnumMap<>(BenchmarkedSystem.class);

    /**
     * @param data a directory for their files
     * @param warm datasets that each contender reads before it is measured
     */
    public BenchmarkedMounts(
            Region region, MountTable table, Lake lake, Path data, List<Dataset> warm) {
        this.region = region;
        this.table = table;
        this.lake = lake;
        this.data = data;
        this.warm = warm;
        this.peers = new Peers(lake, data);
    }

    /** Returns the folder where this contender shows the files of a dataset. */
    public Path root(BenchmarkedSystem contender, Dataset dataset) throws Exception {
        if (contender == BenchmarkedSystem.RAW) {
            return lake.directory().resolve(dataset.name());
        }
        return switch (server(contender)) {
            case FuseMount pod -> shown(contender, pod, dataset);
            case Peers.Mounted peer -> peer.mountpoint().resolve(dataset.name());
            default -> throw new IllegalArgumentException(contender + " is not a mount");
        };
    }

    /** Sets the state of the page cache for a dataset that is read repeatedly. */
    public void bring(PageCache.State state, BenchmarkedSystem contender, Dataset dataset)
            throws Exception {
        PageCache.drop();
        if (state == PageCache.State.MEMORY) {
            Tree.read(1, backing(contender, dataset));
        }
    }

    /**
     * Returns only the files from which the contender reads a warm dataset, because memory is
     * scarce.
     */
    private List<Path> backing(BenchmarkedSystem contender, Dataset dataset) throws Exception {
        return switch (contender) {
            case RAW, STOCK -> Tree.files(root(BenchmarkedSystem.RAW, dataset));
            // The mount caches pages itself, and there are no other pages.
            case NATIVE, NATIVE_LOOPS -> Tree.files(root(contender, dataset));
            case ON_DEMAND, KERNEL, JNR ->
                    ofPacks(
                            table.packs(dataset),
                            List.of(directory(contender).resolve("cache").resolve("packs")));
            default -> List.of();
        };
    }

    /** Prepares to read a dataset, each file from beginning to end. */
    public Optional<Timing.Work> wholeFiles(
            BenchmarkedSystem contender, Dataset dataset, int threads, PageCache.State state)
            throws Exception {
        Path root = root(contender, dataset);
        List<Path> files = files(root, dataset);
        bring(state, contender, dataset);
        return Optional.of(
                () -> {
                    Tree.Read read = Tree.read(threads, files);
                    if (read.bytes() != dataset.totalBytes()) {
                        throw new IllegalStateException(root + " is not complete");
                    }
                    return new Timing.Done(dataset.units(), read.bytes(), read.cpuSeconds());
                });
    }

    /**
     * Returns the files of a dataset without listing them: a listing would already send the first
     * requests for cold files.
     */
    public static List<Path> files(Path root, Dataset dataset) {
        return dataset.paths().stream().map(root::resolve).toList();
    }

    /**
     * Returns the files in which the region's workers keep chunks of these packs.
     *
     * @param packs names, which the paths of the files contain
     */
    public List<Path> chunks(Set<String> packs) throws IOException {
        return ofPacks(packs, stores());
    }

    private static List<Path> ofPacks(Set<String> packs, List<Path> directories)
            throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path directory : directories) {
            Tree.files(directory).stream()
                    .filter(file -> packs.stream().anyMatch(file.toString()::contains))
                    .forEach(found::add);
        }
        if (found.isEmpty()) {
            throw new IllegalStateException(directories + " have nothing of " + packs);
        }
        return found;
    }

    private List<Path> stores() throws IOException {
        try (Stream<Path> parts = Files.list(data.resolve("regions").resolve(region.name()))) {
            return parts.map(part -> part.resolve("store")).filter(Files::exists).toList();
        }
    }

    /** Returns the processes that work for a contender, without the reader and the lake. */
    public List<Long> processes(BenchmarkedSystem contender) throws Exception {
        List<Long> all = new ArrayList<>();
        switch (contender) {
            case NATIVE, NATIVE_LOOPS, ON_DEMAND, KERNEL, JNR -> {
                all.add(server(contender).pid());
                region.workers().stream().map(QuarkusProcess::pid).forEach(all::add);
            }
            case STOCK, RCLONE, S3FS -> all.add(server(contender).pid());
            case NGINX -> {
                long master = peers.nginx().pid();
                all.add(master);
                ProcessHandle.of(master).stream()
                        .flatMap(ProcessHandle::children)
                        .map(ProcessHandle::pid)
                        .forEach(all::add);
            }
            case RAW, S5CMD, GET, FOREBAY, BARE_UPDATE -> {}
        }
        return all;
    }

    public Peers peers() {
        return peers;
    }

    private Path directory(BenchmarkedSystem contender) {
        return data.resolve(contender.label());
    }

    private OneProcessServer server(BenchmarkedSystem contender) throws Exception {
        @Nullable OneProcessServer there = servers.get(contender);
        if (there != null) {
            return there;
        }
        ProgressLog.say("starting " + contender.label());
        OneProcessServer started =
                switch (contender) {
                    case NATIVE -> pod(contender, Map.of("--image-devices", "files"));
                    case NATIVE_LOOPS -> pod(contender, Map.of("--image-devices", "loops"));
                    case ON_DEMAND -> pod(contender, Map.of("--view", "on-demand"));
                    case KERNEL -> pod(contender, Map.of("--view", "portable"));
                    case JNR -> pod(contender, Map.of("--view", "portable", "--transport", "jnr"));
                    case STOCK -> peers.stock();
                    case RCLONE -> peers.rclone();
                    case S3FS -> peers.s3fs();
                    default -> throw new IllegalArgumentException(contender + " is not a mount");
                };
        servers.put(contender, started);
        for (Dataset dataset : warm) {
            warmUp(contender, started, dataset);
        }
        if (NATIVE.contains(contender) && started instanceof FuseMount pod) {
            await(pod.mountpoint(), () -> views(pod, "native") == warm.size());
        }
        return started;
    }

    private FuseMount pod(BenchmarkedSystem contender, Map<String, String> more) {
        Map<String, String> options = new HashMap<>(POD);
        options.putAll(more);
        return FuseMount.another(region, directory(contender), options);
    }

    /** Reads a dataset twice: once to fill the contender's cache, once for its compiler. */
    private void warmUp(BenchmarkedSystem contender, OneProcessServer server, Dataset dataset)
            throws Exception {
        Path root =
                server instanceof FuseMount pod
                        ? shown(contender, pod, dataset)
                        : root(contender, dataset);
        List<Path> files = Tree.files(root);
        List<Path> originals = Tree.files(root(BenchmarkedSystem.RAW, dataset));
        if (Tree.checksum(files) != Tree.checksum(originals)) {
            throw new IllegalStateException(root + " is not what the lake has");
        }
        PageCache.drop();
        Tree.read(4, files);
        Tree.walk(root);
    }

    /** Waits until a pod shows a version, if required by an image, and returns the folder. */
    private static Path shown(BenchmarkedSystem contender, FuseMount pod, Dataset dataset)
            throws Exception {
        Path folder = pod.mountpoint().resolve(dataset.version().path());
        boolean byImage = contender == BenchmarkedSystem.ON_DEMAND || NATIVE.contains(contender);
        await(folder, () -> Files.exists(folder) && (!byImage || Mounts.isMounted(folder)));
        return folder;
    }

    /**
     * Waits until all started pods show a version. Each pod fetches and mounts the image first, and
     * must not do so while another contender is measured.
     */
    public void awaitShown(Dataset dataset) throws Exception {
        for (Map.Entry<BenchmarkedSystem, OneProcessServer> each : servers.entrySet()) {
            if (each.getValue() instanceof FuseMount pod) {
                shown(each.getKey(), pod, dataset);
            }
        }
    }

    /** Returns how many versions a pod shows in this view. */
    private static long views(FuseMount pod, String view) throws IOException {
        String sample = "forebay_fuse_views{view=\"%s\"} ".formatted(view);
        try (InputStream metrics = pod.metrics().toURL().openStream()) {
            return new String(metrics.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(sample))
                    .mapToLong(line -> (long) Double.parseDouble(line.substring(sample.length())))
                    .sum();
        }
    }

    private static void await(Path folder, Readiness condition) throws Exception {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.ready()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(folder + " is not shown");
            }
            Thread.sleep(20);
        }
    }

    @Override
    public void close() {
        servers.values().forEach(OneProcessServer::close);
        peers.close();
    }
}
