package dev.forebay.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.lake.s3.S3Credentials;
import dev.forebay.lake.s3.S3Lake;
import dev.forebay.lake.s3.S3LakeConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Compares the HTTP clients of the AWS SDK. Each in turn reads the same objects from one S3 server
 * into memory. Prints the rates and the processor time of this process. Writes {@code
 * target/bench/lake-clients.json}.
 */
public final class LakeClientBenchmark {
    private static final List<Dataset> DATASETS =
            List.of(new Dataset("64_mib", 8, 64 << 20), Dataset.small("100_kb", 2_000));
    private static final int ROUNDS = 5;
    private static final int AT_ONCE = 16;
    private static final int RANGE_BYTES = 8 << 20;
    private static final double GIGABYTE = 1e9;

    private record Piece(String key, long size, String etag, long offset, int bytes) {}

    private LakeClientBenchmark() {}

    /** Takes no arguments. */
    public static void main(String[] arguments) throws Exception {
        Path output = Files.createDirectories(Path.of("target", "bench").toAbsolutePath());
        Path data = Files.createTempDirectory(output, "lake-");
        Map<String, Object> circumstances = Circumstances.atStart();
        Results results = new Results();
        try (S3Server server = S3Server.start(data)) {
            server.createBucket(Lake.BUCKET);
            Map<String, List<Piece>> cases = new LinkedHashMap<>();
            try (Lake lake = new Lake(server, data)) {
                for (Dataset each : DATASETS) {
                    lake.put(each);
                    cases.put("lake_" + each.name(), pieces(server, each.name() + "/"));
                }
            }
            Map<String, LakeClients.Reader> clients = LakeClients.all(server);
            for (int round = 0; round <= ROUNDS; round++) {
                for (Map.Entry<String, List<Piece>> each : cases.entrySet()) {
                    for (Map.Entry<String, LakeClients.Reader> client : clients.entrySet()) {
                        measure(
                                each.getKey(),
                                each.getValue(),
                                client.getKey(),
                                client.getValue(),
                                round == 0 ? new Results() : results);
                    }
                }
            }
            clients.values().forEach(LakeClients.Reader::close);
        }
        try (Stream<Path> all = Files.walk(data)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        Circumstances.atEnd(circumstances);
        results.write(output.resolve("lake-clients.json"), circumstances);
        System.out.println(results.table());
        System.out.println(
                "load average: "
                        + circumstances.get("load_average_at_start")
                        + " at the start, "
                        + circumstances.get("load_average_at_end")
                        + " at the end");
    }

    private static void measure(
            String name,
            List<Piece> pieces,
            String system,
            LakeClients.Reader reader,
            Results results)
            throws Exception {
        ThreadLocal<ByteBuffer> buffers =
                ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(RANGE_BYTES));
        long bytes = pieces.stream().mapToLong(Piece::bytes).sum();
        long cpu = cpuNanos();
        long begun = System.nanoTime();
        double _ =
                Parallel.forEach(
                        AT_ONCE,
                        pieces,
                        piece ->
                                reader.read(
                                        piece.key(),
                                        piece.size(),
                                        piece.etag(),
                                        piece.offset(),
                                        buffers.get().clear().limit(piece.bytes())));
        double seconds = (System.nanoTime() - begun) / 1e9;
        results.add(
                name,
                system,
                "MB/s",
                bytes / 1e6 / seconds,
                (cpuNanos() - cpu) / 1e9 * GIGABYTE / bytes);
    }

    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    /**
     * Returns the requests of workers: for whole objects, or for the parts of objects in a chunk.
     */
    private static List<Piece> pieces(S3Server server, String prefix) throws IOException {
        URI endpoint = server.endpoint();
        List<Piece> pieces = new ArrayList<>();
        try (S3Lake lake =
                S3Lake.open(
                        S3LakeConfig.of(endpoint, S3Server.REGION, true),
                        new S3Credentials(server.accessKey(), server.secretKey()))) {
            lake.list(
                    Lake.BUCKET,
                    prefix,
                    object -> {
                        for (long at = 0; at < object.size(); at += RANGE_BYTES) {
                            int bytes = (int) Math.min(RANGE_BYTES, object.size() - at);
                            pieces.add(
                                    new Piece(
                                            object.key(), object.size(), object.etag(), at, bytes));
                        }
                    },
                    count -> {});
        }
        return pieces;
    }
}
