package dev.forebay.worker.fill;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.membership.RegionView;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.BlockChecksums;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import dev.forebay.transfer.WorkerProtocol;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The workers of a region that are asked for a chunk, their order, and those that are skipped. */
class WorkerPeersTest {

    private static final Digest MANIFEST = new Digest("a".repeat(64));
    private static final ChunkId CHUNK = new ChunkId(new PackId(new Digest("c".repeat(64))), 0);
    private static final byte[] CONTENT = new byte[100_000];
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final long LARGE = 1L << 60;

    static {
        new Random(6).nextBytes(CONTENT);
    }

    /** A worker's reaction to a request. */
    private enum Conduct {
        HAS_IT,
        /** Has no copy, and fetches the chunk if the request allows it. */
        FETCHES_IT,
        LACKS_IT,
        IS_SILENT,
        SENDS_DAMAGE
    }

    private final List<Peer> peers = new ArrayList<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final WorkerClient client =
            new WorkerClient(
                    WorkerClientConfig.defaults()
                            .withReadTimeouts(Duration.ofSeconds(4), Duration.ofSeconds(1)));

    @AfterEach
    void close() {
        closing.countDown();
        peers.forEach(peer -> peer.server.stop(0));
        client.close();
    }

    @Test
    void aWorkerThatDoesNotAnswerIsNotAskedAgainDuringTheBackoff() throws Exception {
        Peer silent = peer("silent", 1, Conduct.IS_SILENT);
        WorkerPeers asked = asked(LONG);

        for (int i = 0; i < 3; i++) {
            assertThat(fetch(asked)).isFalse();
        }

        assertThat(silent.requests).hasSize(1);
    }

    @Test
    void aWorkerThatDidNotAnswerIsAskedAgainAfterTheBackoff() throws Exception {
        Peer silent = peer("silent", 1, Conduct.IS_SILENT);
        WorkerPeers asked = asked(Duration.ofMillis(50));
        assertThat(fetch(asked)).isFalse();

        silent.conduct = Conduct.HAS_IT;

        await(() -> fetch(asked));
    }

    @Test
    void theOwnerIsAskedToFetchAChunkThatNoWorkerHas() throws Exception {
        Peer owner = peer("owner", LARGE, Conduct.FETCHES_IT);
        Peer other = peer("other", 1, Conduct.LACKS_IT);

        assertThat(fetch(asked(LONG))).isTrue();

        assertThat(owner.requests).containsExactly("only if cached", "in any case");
        assertThat(other.requests).containsExactly("only if cached");
    }

    @Test
    void aDrainingWorkerIsAskedFirstAndOnlyForCachedChunks() throws Exception {
        Peer owner = peer("owner", LARGE, Conduct.HAS_IT);
        Peer leaving = peer("leaving", 0, Conduct.HAS_IT);

        assertThat(fetch(asked(LONG))).isTrue();

        assertThat(leaving.requests).containsExactly("only if cached");
        assertThat(owner.requests).isEmpty();
    }

    @Test
    void aWorkerThatSentDamageMustVerifyItAndIsAskedAgain() throws Exception {
        Peer damaged = peer("damaged", 1, Conduct.SENDS_DAMAGE);
        WorkerPeers asked = asked(LONG);
        assertThat(fetch(asked)).isFalse();
        await(() -> damaged.requests.contains("verify"));

        damaged.conduct = Conduct.HAS_IT;

        assertThat(fetch(asked)).isTrue();
    }

    /** A dead worker is still registered, but its lease has expired. */
    @Test
    void aDeadWorkerIsNotAsked() throws Exception {
        Peer dead = peer("dead", 1, Conduct.HAS_IT);
        RegionView view = new RegionView(List.of(dead.node), Set.of(), List.of(), List.of());

        assertThat(fetch(asked(LONG, view))).isFalse();
        assertThat(dead.requests).isEmpty();
    }

    private Peer peer(String id, long capacity, Conduct conduct) throws IOException {
        Peer peer = new Peer(id, capacity, conduct);
        peers.add(peer);
        return peer;
    }

    private WorkerPeers asked(Duration backOff) {
        List<WorkerNode> nodes = peers.stream().map(peer -> peer.node).toList();
        return asked(
                backOff,
                new RegionView(
                        nodes,
                        nodes.stream().map(WorkerNode::id).collect(Collectors.toSet()),
                        List.of(),
                        List.of()));
    }

    private WorkerPeers asked(Duration backOff, RegionView view) {
        return new WorkerPeers("self", () -> view, client, 4, backOff, new SilentObserver());
    }

    private static boolean fetch(WorkerPeers asked) {
        ByteBuffer target = ByteBuffer.allocate(CONTENT.length);
        boolean came = asked.fetch(MANIFEST, CHUNK, 0, target);
        if (came) {
            assertThat(target.array()).isEqualTo(CONTENT);
        }
        return came;
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** A worker that has one chunk. */
    private final class Peer {

        private final HttpServer server;
        private final WorkerNode node;
        private final List<String> requests = new CopyOnWriteArrayList<>();
        private volatile Conduct conduct;

        Peer(String id, long capacity, Conduct conduct) throws IOException {
            this.conduct = conduct;
            this.server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/", this::answer);
            server.start();
            URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            this.node = new WorkerNode(id, address, capacity);
        }

        private void answer(HttpExchange exchange) throws IOException {
            String condition = exchange.getRequestHeaders().getFirst("Cache-Control");
            boolean onlyIfCached = WorkerProtocol.ONLY_IF_CACHED.equals(condition);
            try (exchange) {
                if (exchange.getRequestMethod().equals("POST")) {
                    requests.add("verify");
                    exchange.sendResponseHeaders(503, -1);
                    return;
                }
                requests.add(onlyIfCached ? "only if cached" : "in any case");
                switch (conduct) {
                    case HAS_IT -> send(exchange, false);
                    case FETCHES_IT -> {
                        if (onlyIfCached) {
                            exchange.sendResponseHeaders(WorkerProtocol.MISS_STATUS, -1);
                        } else {
                            send(exchange, false);
                        }
                    }
                    case LACKS_IT -> exchange.sendResponseHeaders(WorkerProtocol.MISS_STATUS, -1);
                    case IS_SILENT -> awaitClosing();
                    case SENDS_DAMAGE -> send(exchange, true);
                }
            }
        }

        private void awaitClosing() {
            try {
                closing.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static void send(HttpExchange exchange, boolean damaged) throws IOException {
            byte[] sent = Arrays.copyOf(CONTENT, CONTENT.length);
            exchange.getResponseHeaders()
                    .add("Content-Range", "bytes 0-%d/%d".formatted(sent.length - 1, sent.length));
            exchange.getResponseHeaders()
                    .add(
                            WorkerProtocol.CRC_HEADER,
                            BlockChecksums.encode(ByteBuffer.wrap(CONTENT)));
            exchange.getResponseHeaders().add(WorkerProtocol.SOURCE_HEADER, "cache");
            sent[sent.length / 2] ^= (byte) (damaged ? 1 : 0);
            exchange.sendResponseHeaders(206, sent.length);
            exchange.getResponseBody().write(sent);
        }
    }
}
