package dev.forebay.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import dev.forebay.benchmarks.measure.CpuTime;
import dev.forebay.benchmarks.measure.MachineFacts;
import dev.forebay.benchmarks.measure.Parallel;
import dev.forebay.benchmarks.measure.Results;
import dev.forebay.benchmarks.stack.Dataset;
import dev.forebay.benchmarks.stack.Lake;
import dev.forebay.benchmarks.stack.MountTable;
import dev.forebay.benchmarks.stack.SoleWorker;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.ManifestFile;
import dev.forebay.manifest.sqlite.SqliteManifest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.WorkerAuthorities;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Measures the cost of TLS between a reader and a worker. The reader requests ranges of 1 MiB of
 * chunks in the page cache. One worker sends them by the kernel and another one encrypts them, in
 * turn. The reader verifies checksums like all readers. Prints a table and writes {@code
 * target/bench/tls.json}.
 */
public final class TlsBenchmark {
    private static final Dataset DATASET = new Dataset("ranges", 4, 64 << 20);
    private static final int RANGE_BYTES = 1 << 20;
    private static final int AT_ONCE = 4;
    private static final int TIMES = 8;
    private static final int ROUNDS = 7;

    /** For the compilers: encryption needs a long time to reach its speed. */
    private static final int WARM_UPS = 4;

    private static final double GIGABYTE = 1e9;
    private static final double MEGABYTE = 1e6;

    private record Range(ChunkRef chunk, long from, long to) {}

    private final WorkerClient client;
    private final ManifestFile manifest;
    private final List<ChunkRef> chunks;
    private final ThreadLocal<ByteBuffer> buffers =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(RANGE_BYTES));

    private TlsBenchmark(WorkerClient client, ManifestFile manifest) {
        this.client = client;
        this.manifest = manifest;
        try (SqliteManifest opened = SqliteManifest.open(manifest.path())) {
            this.chunks = opened.chunks(0, Math.toIntExact(opened.chunkCount()));
        }
    }

    /**
     * Runs the benchmark.
     *
     * @param arguments the worker's jar
     */
    public static void main(String[] arguments) throws Exception {
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Path data = Files.createTempDirectory(output, "tls-");
        Map<String, Object> circumstances = MachineFacts.atStart();
        Results results = new Results();
        measure(Path.of(arguments[0]).toAbsolutePath(), data, results);
        try (Stream<Path> all = Files.walk(data)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        MachineFacts.atEnd(circumstances);
        results.write(output.resolve("tls.json"), circumstances);
        System.out.println(results.table());
        System.out.println(
                "load average: "
                        + circumstances.get("load_average_at_start")
                        + " at the start, "
                        + circumstances.get("load_average_at_end")
                        + " at the end");
    }

    private static void measure(Path jar, Path data, Results results) throws Exception {
        CertificateAuthority authority = CertificateAuthority.in(data.resolve("authority"));
        WorkerAuthorities trusted = WorkerAuthorities.read("authority", authority.certificate());
        WorkerClientConfig config =
                WorkerClientConfig.defaults().withAuthorities(Optional.of(trusted));
        try (EtcdServer etcd = EtcdServer.start(data.resolve("etcd"));
                S3Server server = S3Server.start(data.resolve("s3"))) {
            server.createBucket(Lake.BUCKET).createBucket(Lake.MANIFESTS);
            try (Lake lake = new Lake(server, data);
                    MountTable table =
                            new MountTable(SoleWorker.REGION, etcd.endpoint(), server, data);
                    WorkerClient client = new WorkerClient(config)) {
                lake.put(DATASET);
                table.mount(DATASET);
                TlsBenchmark benchmark = new TlsBenchmark(client, table.manifest(DATASET));
                try (SoleWorker plain =
                                SoleWorker.start(
                                        "plain", jar, data, etcd, server, Optional.empty());
                        SoleWorker tls =
                                SoleWorker.start(
                                        "tls", jar, data, etcd, server, Optional.of(authority))) {
                    benchmark.run(List.of(plain, tls), results);
                }
            }
        }
    }

    private void run(List<SoleWorker> workers, Results results) throws Exception {
        for (SoleWorker each : workers) {
            for (ChunkRef chunk : chunks) {
                fill(each, chunk);
            }
        }
        List<SoleWorker> order = new ArrayList<>(workers);
        for (int round = 0; round < WARM_UPS + ROUNDS; round++) {
            for (SoleWorker each : order) {
                round(each, round < WARM_UPS ? new Results() : results);
            }
            Collections.reverse(order);
        }
    }

    /** Fills a chunk. Retries until the worker has seen the version in etcd. */
    private void fill(SoleWorker worker, ChunkRef chunk) {
        while (true) {
            try {
                client.fill(worker.node(), manifest.digest(), chunk.chunk());
                return;
            } catch (ForebayException e) {
                if (e.code() != ErrorCode.NOT_FOUND) {
                    throw e;
                }
            }
        }
    }

    private void round(SoleWorker worker, Results results) throws Exception {
        List<Range> ranges = ranges();
        long bytes = ranges.stream().mapToLong(range -> range.to() - range.from()).sum();
        double workerCpu = CpuTime.of(List.of(worker.pid()));
        long clientCpu = cpuNanos();
        long begun = System.nanoTime();
        double _ = Parallel.forEach(AT_ONCE, ranges, range -> read(worker, range));
        double seconds = (System.nanoTime() - begun) / 1e9;
        double clientMillis = (cpuNanos() - clientCpu) / 1e6;
        double workerMillis = (CpuTime.of(List.of(worker.pid())) - workerCpu) * 1e3;
        String name = worker.name();
        results.add("ranges_1_mib", name, "MB/s", bytes / MEGABYTE / seconds);
        results.add("ranges_1_mib", name, "worker ms/GB", workerMillis * GIGABYTE / bytes);
        results.add("ranges_1_mib", name, "client ms/GB", clientMillis * GIGABYTE / bytes);
    }

    private void read(SoleWorker worker, Range range) {
        client.read(
                worker.node(),
                manifest.digest(),
                range.chunk().chunk().pack(),
                range.from(),
                range.to(),
                buffers.get().clear());
    }

    /** Returns the ranges of the whole version, several times over. */
    private List<Range> ranges() {
        List<Range> ranges = new ArrayList<>();
        for (int time = 0; time < TIMES; time++) {
            for (ChunkRef chunk : chunks) {
                long start = chunk.chunk().start();
                for (long at = 0; at < chunk.length(); at += RANGE_BYTES) {
                    long to = Math.min(at + RANGE_BYTES, chunk.length());
                    ranges.add(new Range(chunk, start + at, start + to));
                }
            }
        }
        return ranges;
    }

    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
