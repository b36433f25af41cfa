package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Measures the processor time of reads from a worker whose files are in the page cache, and prints
 * a table. The table also has the JDK's HTTP client, and a socket loop that does not check the
 * received bytes.
 */
@EnabledIfSystemProperty(named = "forebay.read-cost.rounds", matches = "\\d+")
class ReadCostIT extends RunningWorker {

    private static final byte[] CONTENT = random(301, 64 * MIB);
    private static final int ROUNDS = Integer.getInteger("forebay.read-cost.rounds", 3);

    /** Used by one thread. */
    private interface Reader {
        void read(int from, ByteBuffer target) throws Exception;
    }

    /** Creates a reader for a thread. */
    private interface Way {
        Reader begin() throws Exception;
    }

    private record Figures(double readsPerSecond, double readerCpu, double workerCpu) {}

    @Test
    void measureReadsFromAWorker() throws Exception {
        region.put("cost/object", CONTENT);
        TestVersion version = mounted("cost");
        WorkerProcess own = ownWorker("cost", "forebay.worker.scrub.bytes-per-second=0");
        awaitMounted(own, version);
        for (ChunkRef ref : version.chunks()) {
            client.fill(own.node(), version.ref().digest(), ref.chunk());
        }
        URI address = own.address().resolve(version.readPath());
        Map<String, Way> ways = new LinkedHashMap<>();
        Digest digest = version.ref().digest();
        PackId pack = version.pack().id();
        ways.put(
                "Forebay",
                () ->
                        (from, target) ->
                                client.read(
                                        own.node(),
                                        digest,
                                        pack,
                                        from,
                                        from + target.remaining(),
                                        target));
        HttpClient jdk = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        ways.put("JDK client", () -> (from, target) -> read(jdk, address, from, target));
        ways.put("plain socket", () -> new PlainSocket(address));
        Map<String, List<Figures>> all = new TreeMap<>();
        for (int round = 0; round <= ROUNDS; round++) {
            for (int bytes : List.of(MIB, 100_000)) {
                for (int threads : List.of(1, 4, 16)) {
                    for (Map.Entry<String, Way> way : ways.entrySet()) {
                        Figures figures = measure(own.pid(), way.getValue(), bytes, threads);
                        if (round > 0) {
                            all.computeIfAbsent(
                                            "%7d bytes, %2d threads, %s"
                                                    .formatted(bytes, threads, way.getKey()),
                                            _ -> new ArrayList<>())
                                    .add(figures);
                        }
                    }
                }
            }
        }
        all.forEach(
                (name, figures) ->
                        BenchOutput.say(
                                "%s: %.0f reads/s, CPU s/GB: reader %.2f, worker %.2f"
                                        .formatted(
                                                name,
                                                median(figures, Figures::readsPerSecond),
                                                median(figures, Figures::readerCpu),
                                                median(figures, Figures::workerCpu))));
    }

    private static double median(List<Figures> all, ToDoubleFunction<Figures> figure) {
        return all.stream().mapToDouble(figure).sorted().toArray()[all.size() / 2];
    }

    private static Figures measure(long worker, Way way, int bytes, int threads) throws Exception {
        int reads = (bytes == MIB ? 192 : 960) / threads;
        double workerCpu = cpuSeconds(worker);
        double cpu = cpuSeconds(ProcessHandle.current().pid());
        long began = System.nanoTime();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Random random = new Random(i);
                all.add(
                        executor.submit(
                                () -> {
                                    Reader reader = way.begin();
                                    ByteBuffer target = ByteBuffer.allocateDirect(bytes);
                                    for (int n = 0; n < reads; n++) {
                                        // Within a chunk, so that each read is one range.
                                        int chunk = random.nextInt(8) * 8 * MIB;
                                        int from = chunk + random.nextInt(8 * MIB - bytes + 1);
                                        from = bytes == MIB ? from / MIB * MIB : from;
                                        reader.read(from, target.clear());
                                        assertThat(target.flip())
                                                .isEqualTo(ByteBuffer.wrap(CONTENT, from, bytes));
                                    }
                                    return reads;
                                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        double gigabytes = (double) reads * threads * bytes / 1e9;
        return new Figures(
                reads * threads / seconds,
                (cpuSeconds(ProcessHandle.current().pid()) - cpu) / gigabytes,
                (cpuSeconds(worker) - workerCpu) / gigabytes);
    }

    /** User and system time of a process (proc_pid_stat(5)). */
    private static double cpuSeconds(long process) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + process + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }

    private static void read(HttpClient jdk, URI address, int from, ByteBuffer target)
            throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(address).header("Range", range(from, target)).build();
        HttpResponse<Void> answer =
                jdk.send(
                        request,
                        HttpResponse.BodyHandlers.ofByteArrayConsumer(
                                part -> part.ifPresent(target::put)));
        assertThat(answer.statusCode()).isEqualTo(206);
    }

    private static String range(int from, ByteBuffer target) {
        return "bytes=" + from + "-" + (from + target.remaining() - 1);
    }

    /** Sends one request at a time and copies the answer's bytes into the target. */
    private static final class PlainSocket implements Reader {
        private static final int END_OF_HEAD = 0x0d0a0d0a;

        private final URI address;
        private final SocketChannel channel;
        private final ByteBuffer head = ByteBuffer.allocateDirect(8 << 10);

        PlainSocket(URI address) throws IOException {
            this.address = address;
            this.channel =
                    SocketChannel.open(new InetSocketAddress(address.getHost(), address.getPort()));
        }

        @Override
        public void read(int from, ByteBuffer target) throws IOException {
            String request =
                    "GET %s?%s HTTP/1.1\r\nHost: w\r\nRange: %s\r\n\r\n"
                            .formatted(address.getPath(), address.getQuery(), range(from, target));
            channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            head.clear();
            int end = 0;
            while (end == 0) {
                receive(head);
                for (int i = 0; i + 3 < head.position() && end == 0; i++) {
                    end = head.getInt(i) == END_OF_HEAD ? i + 4 : 0;
                }
            }
            target.put(head.flip().position(end));
            while (target.hasRemaining()) {
                receive(target);
            }
        }

        private void receive(ByteBuffer into) throws IOException {
            if (channel.read(into) < 0) {
                throw new EOFException("the worker closed the connection");
            }
        }
    }
}
