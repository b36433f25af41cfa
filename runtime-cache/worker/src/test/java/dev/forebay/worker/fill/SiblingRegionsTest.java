package dev.forebay.worker.fill;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import dev.forebay.model.Sibling;
import dev.forebay.transfer.BlockChecksums;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.transfer.WorkerProtocol;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Gateways that are down, slow or wrong: docs/semantics.md, "Where missing bytes come from". */
class SiblingRegionsTest {

    private static final Digest MANIFEST = new Digest("a".repeat(64));
    private static final Digest OTHER_MANIFEST = new Digest("b".repeat(64));
    private static final ChunkId CHUNK = new ChunkId(new PackId(new Digest("c".repeat(64))), 0);
    private static final int BYTES = 200_000;
    private static final byte[] CONTENT = new byte[BYTES];
    private static final Duration TIMEOUT = Duration.ofSeconds(4);
    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration LONG = Duration.ofMinutes(5);

    static {
        new Random(5).nextBytes(CONTENT);
    }

    private final List<Gateway> gateways = new ArrayList<>();
    private final List<String> outcomes = new CopyOnWriteArrayList<>();
    private final WorkerClient client =
            new WorkerClient(
                    WorkerClientConfig.defaults().withReadTimeouts(TIMEOUT, TIMEOUT.dividedBy(2)));
    private List<Sibling> siblings = List.of();

    @AfterEach
    void close() {
        gateways.forEach(Gateway::close);
        client.close();
    }

    /** A gateway's behaviour that yields no usable bytes. */
    enum Fault {
        AWAY("unavailable"),
        SILENT("unavailable"),
        TRICKLES("unavailable"),
        CUT_SHORT("unavailable"),
        FLIPS_A_BIT("corrupt"),
        SENDS_ANOTHER_RANGE("corrupt"),
        SENDS_A_PART("miss"),
        WITHOUT_CHECKSUMS("corrupt"),
        DENIES("denied"),
        ANSWERS_NONSENSE("unavailable"),
        HAS_IT_NOT("miss"),
        KNOWS_NO_SUCH_VERSION("not_found");

        private final String outcome;

        Fault(String outcome) {
            this.outcome = outcome;
        }
    }

    @Test
    void aFetchUsesTheFirstSiblingThatHasTheChunk() {
        SiblingRegions regions =
                regions(4, gateway(Fault.HAS_IT_NOT), gateway(null), gateway(null));

        assertThat(fetch(regions, MANIFEST)).contains(siblings.get(1));
        assertThat(outcomes).containsExactly("miss", "ok " + BYTES);
        assertThat(gateways.get(2).asked).hasValue(0);
        assertThat(gateways.get(1).requests).allMatch(each -> each.contains(MANIFEST.hex()));
    }

    @Test
    void aFetchAsksNoSiblingForAVersionThatIsFilledFromTheLake() {
        SiblingRegions regions = regions(4, gateway(null));

        assertThat(fetch(regions, OTHER_MANIFEST)).isEmpty();
        assertThat(gateways.getFirst().asked).hasValue(0);
        assertThat(outcomes).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aFetchUsesTheNextSiblingWhenAGatewayIsFaulty(Fault fault) {
        SiblingRegions regions = regions(4, gateway(fault), gateway(null));
        long begun = System.nanoTime();

        assertThat(fetch(regions, MANIFEST)).contains(siblings.get(1));

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONG_TIMEOUT);
        assertThat(outcomes).containsExactly(fault.outcome, "ok " + BYTES);
        int asked = gateways.getFirst().asked.get();
        assertThat(fetch(regions, MANIFEST)).contains(siblings.get(1));
        assertThat(gateways.getFirst().asked.get() - asked)
                .as("asked again")
                .isEqualTo(fault.outcome.equals("miss") ? 1 : 0);
    }

    @Test
    void aFetchThatTimesOutAsksNoFurtherSibling() {
        SiblingRegions regions =
                regions(4, TIMEOUT.dividedBy(2), LONG, gateway(Fault.TRICKLES), gateway(null));

        assertThat(fetch(regions, MANIFEST)).isEmpty();
        assertThat(fetch(regions, MANIFEST)).contains(siblings.get(1));
    }

    @Test
    void aSiblingWithoutAVersionIsStillAskedForOtherVersions() {
        Gateway gateway = gateway(Fault.KNOWS_NO_SUCH_VERSION);
        SiblingRegions regions = regions(4, gateway);
        mounts.add(mount(OTHER_MANIFEST, siblings));
        assertThat(fetch(regions, MANIFEST)).isEmpty();
        gateway.fault = null;

        assertThat(fetch(regions, MANIFEST)).isEmpty();
        assertThat(fetch(regions, OTHER_MANIFEST)).isPresent();
    }

    @Test
    void aSiblingThatFailedIsAskedAgainAfterTheBackoff() throws Exception {
        Gateway gateway = gateway(Fault.FLIPS_A_BIT);
        SiblingRegions regions = regions(4, LONG_TIMEOUT, Duration.ofMillis(200), gateway);
        assertThat(fetch(regions, MANIFEST)).isEmpty();
        gateway.fault = null;

        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (fetch(regions, MANIFEST).isEmpty()) {
            assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
            Thread.sleep(10);
        }
    }

    @Test
    void concurrentRequestsAreLimitedAndExcessFetchesSkipTheSibling() throws Exception {
        Gateway gateway = gateway(null);
        gateway.hold = new CountDownLatch(1);
        SiblingRegions regions = regions(2, gateway);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Optional<Sibling>>> fetches = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                fetches.add(threads.submit(() -> fetch(regions, MANIFEST)));
            }
            // Two requests run and two fill the queue. The fifth is refused at once.
            long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (!outcomes.contains("busy") || gateway.asked.get() < 2) {
                assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
                Thread.sleep(1);
            }
            assertThat(gateway.asked).hasValue(2);
            gateway.hold.countDown();
            int given = 0;
            for (Future<Optional<Sibling>> fetch : fetches) {
                given += fetch.get().isPresent() ? 1 : 0;
            }
            assertThat(given).isEqualTo(4);
        }
        assertThat(gateway.mostAtOnce.get()).isEqualTo(2);
    }

    private final List<Mount> mounts = new CopyOnWriteArrayList<>();

    private Gateway gateway(@Nullable Fault fault) {
        Gateway gateway = new Gateway(fault);
        gateways.add(gateway);
        return gateway;
    }

    private SiblingRegions regions(int atOnce, Gateway... asked) {
        return regions(atOnce, LONG_TIMEOUT, LONG, asked);
    }

    private SiblingRegions regions(
            int atOnce, Duration timeout, Duration backOff, Gateway... asked) {
        siblings = Arrays.stream(asked).map(Gateway::sibling).toList();
        mounts.add(mount(MANIFEST, siblings));
        return new SiblingRegions(
                () -> new RegionView(List.of(), Set.of(), List.copyOf(mounts), List.of()),
                client,
                new Permits("a test", atOnce, 2),
                timeout,
                backOff,
                observer());
    }

    private static Mount mount(Digest manifest, List<Sibling> from) {
        return new Mount(
                DatasetVersion.of("ns", "data", manifest.hex().substring(0, 8)),
                new ManifestRef("s3://b/k", manifest, 1, BYTES, 1),
                Mount.State.WARMING,
                1,
                from);
    }

    /** Fetches the chunk from its second checksum block on, and compares the bytes. */
    private static Optional<Sibling> fetch(SiblingRegions regions, Digest manifest) {
        ByteBuffer target = ByteBuffer.allocate(BYTES);
        Optional<Sibling> from =
                regions.fetch(
                        manifest, CHUNK, ChunkId.CHECKSUM_BLOCK_BYTES, target, Urgency.prefetch());
        from.ifPresent(_ -> assertThat(target.array()).isEqualTo(CONTENT));
        return from;
    }

    private FillObserver observer() {
        return new FillObserver() {
            @Override
            public void lakeRequest(String outcome, long bytes) {}

            @Override
            public void peerRequest(String outcome, long bytes) {}

            @Override
            public void siblingRequest(String outcome, long bytes) {
                outcomes.add(bytes == 0 ? outcome : outcome + " " + bytes);
            }

            @Override
            public void filled(String outcome, long nanos) {}
        };
    }

    /** An agent's gateway as a reader sees it. */
    private static final class Gateway implements AutoCloseable {

        private final HttpServer server;
        private final AtomicInteger asked = new AtomicInteger();
        private final AtomicInteger atOnce = new AtomicInteger();
        private final AtomicInteger mostAtOnce = new AtomicInteger();
        private final List<String> requests = new CopyOnWriteArrayList<>();
        private final CountDownLatch closing = new CountDownLatch(1);
        private volatile CountDownLatch hold = new CountDownLatch(0);
        private volatile @Nullable Fault fault;

        Gateway(@Nullable Fault fault) {
            this.fault = fault;
            try {
                this.server =
                        HttpServer.create(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/v1/packs/", this::answer);
            if (fault == Fault.AWAY) {
                server.start();
                server.stop(0);
            } else {
                server.start();
            }
        }

        Sibling sibling() {
            return new Sibling(
                    URI.create("http://127.0.0.1:" + server.getAddress().getPort()), false);
        }

        private void answer(HttpExchange exchange) throws IOException {
            asked.incrementAndGet();
            mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            requests.add(exchange.getRequestURI().toString());
            await(hold);
            // Before the answer, because the next request may follow immediately.
            atOnce.decrementAndGet();
            try (exchange) {
                answerNow(exchange);
            }
        }

        private void answerNow(HttpExchange exchange) throws IOException {
            byte[] sent = CONTENT.clone();
            int first = ChunkId.CHECKSUM_BLOCK_BYTES;
            Fault now = fault;
            switch (now) {
                case null ->
                        send(exchange, first, sent, BlockChecksums.encode(ByteBuffer.wrap(sent)));
                case AWAY, SILENT -> await(closing);
                case TRICKLES -> {
                    head(
                            exchange,
                            first,
                            sent.length,
                            BlockChecksums.encode(ByteBuffer.wrap(sent)));
                    exchange.sendResponseHeaders(206, sent.length);
                    exchange.getResponseBody().write(sent, 0, 1_000);
                    exchange.getResponseBody().flush();
                    await(closing);
                }
                case CUT_SHORT -> {
                    head(
                            exchange,
                            first,
                            sent.length,
                            BlockChecksums.encode(ByteBuffer.wrap(sent)));
                    exchange.sendResponseHeaders(206, sent.length);
                    exchange.getResponseBody().write(sent, 0, sent.length / 2);
                    exchange.getResponseBody().flush();
                }
                case FLIPS_A_BIT -> {
                    String checksums = BlockChecksums.encode(ByteBuffer.wrap(sent));
                    sent[BYTES / 2] ^= 1;
                    send(exchange, first, sent, checksums);
                }
                case SENDS_ANOTHER_RANGE ->
                        send(exchange, 0, sent, BlockChecksums.encode(ByteBuffer.wrap(sent)));
                case SENDS_A_PART -> {
                    byte[] part = Arrays.copyOf(sent, first);
                    send(exchange, first, part, BlockChecksums.encode(ByteBuffer.wrap(part)));
                }
                case WITHOUT_CHECKSUMS -> send(exchange, first, sent, "");
                case DENIES ->
                        refuse(exchange, 401, "{\"code\":\"DENIED\",\"detail\":\"no token\"}");
                case ANSWERS_NONSENSE -> refuse(exchange, 500, "<html>");
                case HAS_IT_NOT -> refuse(exchange, WorkerProtocol.MISS_STATUS, "{}");
                case KNOWS_NO_SUCH_VERSION ->
                        refuse(exchange, 404, "{\"code\":\"NOT_FOUND\",\"detail\":\"unknown\"}");
            }
        }

        private void await(CountDownLatch latch) {
            try {
                boolean _ = latch.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static void head(HttpExchange exchange, int first, int bytes, String checksums) {
            exchange.getResponseHeaders()
                    .add("Content-Range", "bytes %d-%d/*".formatted(first, first + bytes - 1));
            if (!checksums.isEmpty()) {
                exchange.getResponseHeaders().add(WorkerProtocol.CRC_HEADER, checksums);
            }
        }

        private static void send(HttpExchange exchange, int first, byte[] bytes, String checksums)
                throws IOException {
            head(exchange, first, bytes.length, checksums);
            exchange.sendResponseHeaders(206, bytes.length);
            exchange.getResponseBody().write(bytes);
        }

        private static void refuse(HttpExchange exchange, int status, String problem)
                throws IOException {
            byte[] bytes = problem.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }

        @Override
        public void close() {
            closing.countDown();
            hold.countDown();
            server.stop(0);
        }
    }
}
