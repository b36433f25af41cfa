package dev.forebay.worker;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Segment;
import dev.forebay.model.ErrorCode;
import dev.forebay.transfer.BlockChecksums;
import java.io.RandomAccessFile;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Requests with several ranges, and readers that disconnect before the answer. */
@SuppressWarnings("NullAway.Init") // set before all tests
class ManyRangesIT extends RunningWorker {

    private static final int OBJECT_BYTES = 100_000;
    private static final String ABORTED =
            "forebay_worker_requests_seconds_count{operation=\"read\",outcome=\"aborted\"";

    private static WorkerProcess unscrubbed;

    @BeforeAll
    static void start() {
        unscrubbed =
                workerOfTheClass(
                        "unscrubbed-ranges",
                        "forebay.worker.scrub.bytes-per-second=0",
                        // Otherwise a fill of a chunk that this worker owns would also fill the
                        // next one.
                        "forebay.worker.fill.ahead=0");
    }

    /** Returns the parts of a multipart answer by their Content-Range. */
    private static Map<String, byte[]> parts(HttpResponse<byte[]> answer) {
        String type = answer.headers().firstValue("Content-Type").orElseThrow();
        assertThat(type).startsWith("multipart/byteranges; boundary=");
        String delimiter = "\r\n--" + type.substring(type.indexOf('=') + 1);
        String body = new String(answer.body(), ISO_8859_1);
        assertThat(body).startsWith(delimiter).endsWith(delimiter + "--\r\n");
        Map<String, byte[]> parts = new HashMap<>();
        int at = delimiter.length() + 2;
        while (at < body.length() - 2) {
            int end = body.indexOf("\r\n\r\n", at);
            String head = body.substring(at, end);
            String range = field(head, "Content-Range").replace("bytes ", "").split("/", 2)[0];
            String[] ends = range.split("-", 2);
            int length = Integer.parseInt(ends[1]) - Integer.parseInt(ends[0]) + 1;
            byte[] bytes = Arrays.copyOfRange(answer.body(), end + 4, end + 4 + length);
            assertThat(field(head, "Forebay-Crc32c"))
                    .isEqualTo(BlockChecksums.encode(ByteBuffer.wrap(bytes)));
            assertThat(field(head, "Forebay-Source")).isEqualTo("cache");
            parts.put(range, bytes);
            at = end + 4 + length + delimiter.length() + 2;
        }
        return parts;
    }

    private static String field(String head, String name) {
        return head.lines()
                .filter(line -> line.startsWith(name + ": "))
                .map(line -> line.substring(name.length() + 2))
                .collect(Collectors.joining());
    }

    private static String range(Segment segment) {
        return segment.packOffset() + "-" + (segment.packOffset() + segment.size() - 1);
    }

    private static HttpResponse<byte[]> ask(
            WorkerProcess process, TestVersion version, String... ranges) throws Exception {
        return process.get(version.readPath(), "Range", "bytes=" + String.join(",", ranges));
    }

    @Test
    void anAnswerHasRangesOfSeveralChunksWithTheirChecksums() throws Exception {
        byte[] first = random(201, OBJECT_BYTES);
        byte[] second = random(202, 9 * MIB);
        byte[] third = random(203, OBJECT_BYTES);
        region.put("ranges/a", first);
        region.put("ranges/b", second);
        region.put("ranges/c", third);
        TestVersion version = mounted("ranges");
        for (ChunkRef ref : version.chunks()) {
            client.fill(worker.node(), version.ref().digest(), ref.chunk());
        }
        String a = range(version.segment("ranges/a"));
        String c = range(version.segment("ranges/c"));

        HttpResponse<byte[]> answer = ask(worker, version, a, "65536-131071", c, "7-7");

        assertThat(answer.statusCode()).isEqualTo(206);
        assertThat(answer.headers().firstValue("Forebay-Absent")).isEmpty();
        Map<String, byte[]> parts = parts(answer);
        assertThat(parts).containsOnlyKeys(a, "65536-131071", c, "7-7");
        assertThat(parts.get(a)).isEqualTo(first);
        assertThat(parts.get(c)).isEqualTo(third);
        assertThat(parts.get("7-7")).containsExactly(first[7]);
    }

    @Test
    void anAnswerNamesAbsentRangesAndTheWorkerDoesNotFetchThem() throws Exception {
        byte[] here = random(204, OBJECT_BYTES);
        region.put("absent/a", here);
        region.put("absent/b", random(205, 20 * MIB));
        TestVersion version = mounted("absent");
        client.fill(worker.node(), version.ref().digest(), version.chunks().getFirst().chunk());
        int reads = region.reads("absent/").size();
        String a = range(version.segment("absent/a"));
        String missing = "%d-%d".formatted(9 * MIB, 9 * MIB + 99);
        String outside = "%d-%d".formatted(90 * MIB, 90 * MIB + 99);

        HttpResponse<byte[]> some = ask(worker, version, missing, a, outside);
        HttpResponse<byte[]> none = ask(worker, version, missing, outside);

        assertThat(parts(some)).containsOnlyKeys(a);
        assertThat(parts(some).get(a)).isEqualTo(here);
        assertThat(some.headers().firstValue("Forebay-Absent")).hasValue(missing + ", " + outside);
        assertProblem(none, 504, ErrorCode.NOT_FOUND);
        assertThat(region.reads("absent/")).hasSize(reads);
    }

    @Test
    void aDamagedRangeDoesNotAffectOtherRanges() throws Exception {
        byte[] bytes = random(206, 400_000);
        region.put("hurt/object", bytes);
        TestVersion version = mounted("hurt");
        WorkerProcess own = unscrubbed;
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().getFirst().chunk());
        Path chunk = own.chunkFiles(version.pack().id()).getFirst();
        try (RandomAccessFile file = new RandomAccessFile(chunk.toFile(), "rw")) {
            file.seek(70_000);
            int byteThere = file.read();
            file.seek(70_000);
            file.write(byteThere ^ 1);
        }

        HttpResponse<byte[]> answer = ask(own, version, "0-999", "66000-80000", "200000-250000");

        assertThat(answer.headers().firstValue("Forebay-Absent")).hasValue("66000-80000");
        Map<String, byte[]> parts = parts(answer);
        assertThat(parts.get("0-999")).isEqualTo(Arrays.copyOf(bytes, 1_000));
        assertThat(parts.get("200000-250000"))
                .isEqualTo(Arrays.copyOfRange(bytes, 200_000, 250_001));
        // A request for this range alone repairs the chunk.
        assertThat(own.get(version.readPath(), "Range", "bytes=66000-80000").body())
                .isEqualTo(Arrays.copyOfRange(bytes, 66_000, 80_001));
    }

    @Test
    void theWorkerRefusesTooManyTooLargeAndMalformedRanges() throws Exception {
        region.put("bounds/object", random(207, 9 * MIB));
        TestVersion version = mounted("bounds");
        String many =
                IntStream.range(0, 65)
                        .mapToObj(i -> i * 10 + "-" + (i * 10 + 5))
                        .collect(Collectors.joining(","));

        for (String ranges :
                List.of(many, "0-4194303,4194304-8388608", "0-9,20-", "0-9,", "0-9,x")) {
            assertProblem(
                    ask(worker, version, ranges), 400, ErrorCode.INVALID_ARGUMENT, "Range", "");
        }
    }

    @Test
    void theWorkerClosesChunkFilesWhenReadersDisconnect() throws Exception {
        region.put("gone/object", random(208, 8 * MIB));
        TestVersion version = mounted("gone");
        WorkerProcess own = unscrubbed;
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().getFirst().chunk());
        String ranges =
                IntStream.range(0, 64)
                        .mapToObj(i -> "%d-%d".formatted(i << 17, ((i + 1) << 17) - 1))
                        .collect(Collectors.joining(","));
        double aborted = own.metric(ABORTED);
        List<SlowReader> readers = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            readers.add(SlowReader.ask(own.address(), version.readPath(), ranges));
        }
        // Nearly the limit of open files. A request for a single range is still served.
        assertThat(openChunks(own)).isBetween(256L, 4_096L);
        assertThat(own.get(version.readPath(), "Range", "bytes=0-9").statusCode()).isEqualTo(206);

        for (SlowReader each : readers) {
            each.close();
        }

        await(() -> openChunks(own) == 0);
        await(() -> own.metric(ABORTED) == aborted + readers.size());
        assertThat(parts(ask(own, version, "0-9", "20-29"))).hasSize(2);
    }

    /** A reader that hedges drops the slower answer. The worker logs no failure for it. */
    @Test
    void theWorkerLogsNoErrorWhenReadersDisconnect() throws Exception {
        int readers = 200;
        List<String> ranges = List.of("0-", "0-4194303,4194304-8388607");
        region.put("forsaken/object", random(25, 8 * MIB));
        TestVersion version = mounted("forsaken");
        WorkerProcess own = unscrubbed;
        awaitMounted(own, version);
        client.fill(own.node(), version.ref().digest(), version.chunks().getFirst().chunk());
        int logged = Files.readString(own.log()).length();
        double aborted = own.metric(ABORTED);

        for (int i = 0; i < readers; i += 2) {
            String range = ranges.get(i / 2 % 2);
            SlowReader.ask(own.address(), version.readPath(), range).close();
            // Closes the connection while the worker writes the beginning of the answer.
            SlowReader.begin(own.address(), version.readPath(), range).close();
        }

        await(() -> own.metric(ABORTED) == aborted + readers);
        assertThat(Files.readString(own.log()).substring(logged)).doesNotContain("Exception");
        assertThat(own.get(version.readPath(), "Range", "bytes=0-9").statusCode()).isEqualTo(206);
    }

    private static long openChunks(WorkerProcess process) throws Exception {
        long open = 0;
        try (Stream<Path> all = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            for (Path each : all.toList()) {
                try {
                    open +=
                            Files.readSymbolicLink(each)
                                            .startsWith(process.store().resolve("chunks"))
                                    ? 1
                                    : 0;
                } catch (NoSuchFileException e) {
                    // Closed meanwhile.
                }
            }
        }
        return open;
    }
}
