package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static dev.forebay.system.RunningStack.KOREA;
import static dev.forebay.system.RunningStack.VIRGINIA;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.fault.Fault;
import dev.forebay.devstack.fault.FaultProxy;
import dev.forebay.devstack.server.Server;
import dev.forebay.devstack.stack.QuarkusProcess;
import dev.forebay.devstack.stack.StackPorts;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * "Where missing bytes come from" in docs/semantics.md, checked against the lake's access log.
 * Virginia pays less for bytes from Korea than from the lake, and Korea pays more for bytes from
 * Virginia.
 */
class SiblingsIT {

    private static final int CHUNK = 8 << 20;
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @SuppressWarnings("NullAway.Init")
    private static FaultProxy gateway;

    @SuppressWarnings("NullAway.Init")
    private static RunningStack stack;

    @BeforeAll
    static void start() {
        StackPorts ports = StackPorts.free();
        gateway = FaultProxy.before(URI.create("http://127.0.0.1:" + ports.agent(0)));
        stack =
                RunningStack.start(
                        "siblings",
                        config ->
                                config.regions(KOREA, VIRGINIA)
                                        .workersPerRegion(1)
                                        .ports(ports)
                                        .property("forebay.prices.lake-gb", "0.09")
                                        .property("forebay.prices.sibling-gb", "0.02")
                                        .property(
                                                "forebay.prices.regions.\"%s\".sibling-gb"
                                                        .formatted(KOREA),
                                                "0.5")
                                        .property(
                                                "forebay.regions.\"%s\".agent".formatted(KOREA),
                                                gateway.endpoint().toString())
                                        // Long timeouts, so that a busy machine causes no failures.
                                        .property("forebay.gateway.timeout", "20S")
                                        .property("forebay.gateway.first-byte", "20S")
                                        .property("forebay.gateway.queue-timeout", "20S")
                                        .property("forebay.worker.siblings.timeout", "30s")
                                        .property("forebay.worker.siblings.first-byte", "30s")
                                        .property("forebay.worker.siblings.back-off", "1s"));
    }

    @AfterAll
    static void stop() {
        stack.close();
        gateway.close();
    }

    @AfterEach
    void mend() {
        gateway.spoil(request -> Fault.NONE);
    }

    /** "Where missing bytes come from", "Bytes in a receipt". */
    @Test
    void aRegionFillsFromItsSiblingWhereThatIsCheaper() throws Exception {
        Map<String, byte[]> tree = tree("near", 6);
        tree.put("small.txt", "a few bytes".getBytes(StandardCharsets.UTF_8));
        long size = registered("near", tree);
        stack.api().ensure("siblings/near@v1", KOREA);
        Map<String, Integer> before = stack.lake().gets("near/");

        JsonNode source = plan("near", VIRGINIA).at("/sources/0");
        JsonNode receipt = stack.api().ensure("siblings/near@v1", VIRGINIA);

        assertThat(source.get("kind").asText()).isEqualTo("region");
        assertThat(source.get("region").asText()).isEqualTo(KOREA);
        assertThat(source.get("used").asBoolean()).isTrue();
        assertThat(stack.lake().gets("near/")).as(figures()).isEqualTo(before);
        assertThat(receipt.get("bytes_verified").asLong()).isEqualTo(size);
        assertThat(receipt.at("/bytes_from/sibling").asLong()).isEqualTo(size);
        assertThat(receipt.at("/bytes_from/lake").asLong()).isZero();
        stack.readAll(VIRGINIA, "siblings/near@v1", tree);
        assertThat(stack.lake().gets("near/")).isEqualTo(before);
        Await.until(
                "the ledger has the bytes from the sibling",
                TIMEOUT,
                () -> costs("near").at("/sibling/bytes").asLong() >= size);
        JsonNode costs = costs("near");
        assertThat(costs.at("/lake/requests").asLong()).isZero();
        assertThat(costs.at("/on_premises/bytes").asLong()).isZero();
        // Each file starts on a page, and the padding between files is copied as well.
        assertThat(costs.at("/sibling/bytes").asLong()).isLessThan(size + tree.size() * 65_536L);
        assertThat(costs.at("/cost/siblings").asDouble())
                .isBetween(size * 0.02e-9 - 1e-6, size * 0.0201e-9 + 1e-6);
    }

    @Test
    void aRegionFillsFromTheLakeWhereThatIsCheaper() throws Exception {
        Map<String, byte[]> tree = tree("far", 3);
        long size = registered("far", tree);
        stack.api().ensure("siblings/far@v1", VIRGINIA);

        JsonNode source = plan("far", KOREA).at("/sources/0");
        JsonNode receipt = stack.api().ensure("siblings/far@v1", KOREA);

        assertThat(source.get("kind").asText()).isEqualTo("lake");
        assertThat(source.get("used").asBoolean()).isTrue();
        assertThat(receipt.at("/bytes_from/lake").asLong()).isEqualTo(size);
        assertThat(receipt.at("/bytes_from/sibling").asLong()).isZero();
        assertThat(stack.lake().gets("far/").values()).containsOnly(2);
    }

    /** "Where missing bytes come from": the agent that serves the bytes is killed with SIGKILL. */
    @Test
    void aFillReadsTheRestFromTheLakeOnceWhenTheSiblingsAgentDies() throws Exception {
        int chunks = 12;
        Map<String, byte[]> tree = tree("dying", chunks);
        long size = registered("dying", tree);
        stack.api().ensure("siblings/dying@v1", KOREA);
        AtomicInteger given = new AtomicInteger();
        // The first requests pass, so that some chunks have arrived at the kill. No later one
        // arrives in time.
        gateway.spoil(
                request ->
                        request.target().startsWith("/v1/packs/") && given.incrementAndGet() > 4
                                ? new Fault.Slow(CHUNK / 20)
                                : Fault.NONE);
        double cameBefore = came();

        String request = stack.api().accept("siblings/dying@v1", Map.of("region", VIRGINIA));
        Await.until("a chunk has arrived", TIMEOUT, () -> came() >= cameBefore + CHUNK);
        Server agent = stack.region(KOREA).agent();
        agent.kill9();
        JsonNode receipt;
        try {
            receipt =
                    stack.api()
                            .receipt("siblings/dying@v1", VIRGINIA, request, Duration.ofMinutes(3));
        } finally {
            agent.restart();
        }

        long fromLake = receipt.at("/bytes_from/lake").asLong();
        assertThat(receipt.get("bytes_verified").asLong()).isEqualTo(size);
        assertThat(fromLake).isBetween((long) CHUNK, size - CHUNK);
        assertThat(receipt.at("/bytes_from/sibling").asLong()).isEqualTo(size - fromLake);
        // At most once for each region. Only chunks that Virginia read from the lake count twice.
        Map<String, Integer> gets = stack.lake().gets("dying/");
        assertThat(gets.values()).allMatch(count -> count <= 2);
        long again = gets.values().stream().filter(count -> count == 2).count();
        assertThat(again * CHUNK).isEqualTo(fromLake);
        stack.readAll(VIRGINIA, "siblings/dying@v1", tree);
    }

    /** "Where missing bytes come from": bytes that do not match their checksums. */
    @Test
    void aFillDiscardsDamagedBytesFromASiblingAndReadsTheLake() throws Exception {
        Map<String, byte[]> tree = tree("lying", 4);
        long size = registered("lying", tree);
        stack.api().ensure("siblings/lying@v1", KOREA);
        AtomicInteger flipped = new AtomicInteger();
        gateway.spoil(
                request -> {
                    if (!request.target().startsWith("/v1/packs/")) {
                        return Fault.NONE;
                    }
                    flipped.incrementAndGet();
                    return new Fault.Flip(1_234_567);
                });

        JsonNode receipt = stack.api().ensure("siblings/lying@v1", VIRGINIA);

        assertThat(flipped).hasPositiveValue();
        assertThat(receipt.at("/bytes_from/lake").asLong()).isEqualTo(size);
        assertThat(receipt.at("/bytes_from/sibling").asLong()).isZero();
        assertThat(stack.lake().gets("lying/").values()).containsOnly(2);
        stack.readAll(VIRGINIA, "siblings/lying@v1", tree);
    }

    private static Map<String, byte[]> tree(String name, int chunks) {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < chunks; i++) {
            tree.put("%02d.bin".formatted(i), bytes(name.hashCode() + i, CHUNK));
        }
        return tree;
    }

    /** Puts a tree into the lake and registers it as a dataset. Returns its size. */
    private static long registered(String name, Map<String, byte[]> tree) throws Exception {
        stack.lake().putAll(name + "/", tree);
        stack.api()
                .register("siblings/" + name, "s3://datasets/" + name + "/", Duration.ofHours(1));
        return tree.values().stream().mapToLong(content -> content.length).sum();
    }

    /**
     * Returns the bytes that Virginia's workers have received from sibling regions since they
     * started.
     */
    private static double came() throws Exception {
        return figures()
                .lines()
                .filter(line -> line.startsWith("forebay_worker_sibling_bytes_total"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    /** Returns the sibling metrics of Virginia's workers, one per line. */
    private static String figures() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (QuarkusProcess worker : stack.region(VIRGINIA).workers()) {
            HttpRequest request = HttpRequest.newBuilder(worker.metrics()).build();
            HTTP.send(request, BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("forebay_worker_sibling_"))
                    .forEach(line -> lines.append(line).append('\n'));
        }
        return lines.toString();
    }

    private static JsonNode plan(String name, String region) throws Exception {
        return stack.api()
                .post(
                        Api.path("siblings/" + name + "@v1") + "/plan",
                        Map.of("regions", List.of(region)))
                .expect(200)
                .body()
                .at("/regions/0");
    }

    private static JsonNode costs(String name) throws Exception {
        return stack.api()
                .get("/costs?dataset=siblings/" + name + "&region=" + VIRGINIA)
                .expect(200)
                .body()
                .get("total");
    }
}
