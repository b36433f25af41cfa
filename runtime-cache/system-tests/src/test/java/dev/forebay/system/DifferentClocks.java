package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.stack.Clocks;
import dev.forebay.devstack.stack.QuarkusProcess;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * "Clocks that differ" in docs/semantics.md. Control plane, agent and workers of the stack have
 * different clocks. The other processes use this machine's clock: etcd, Temporal, PostgreSQL, the
 * mount and this test. Any two of these clocks differ by at least half a minute.
 *
 * <p>Leases and times to live are shorter than that: code that compares two clocks would end them
 * at once, or too late. The tests mostly wait, so they run concurrently.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
abstract class DifferentClocks {

    private static final String REGION = RunningStack.VIRGINIA;
    private static final String NAMESPACE = "clocks";
    private static final String PIN = "p";
    private static final int CHUNK = 8 << 20;

    /**
     * The size of the version to evict, and of the one that needs its space. The region has no
     * space for both.
     */
    private static final int CHUNKS = 5;

    private static final int CAPACITY_CHUNKS = 8;
    private static final long FOOTER = NarrowStack.FOOTER;
    private static final int RACES = 8;

    /** All shorter than the difference of any two clocks. */
    private static final Duration LEASE = Duration.ofSeconds(20);

    private static final Duration LONG_LEASE = Duration.ofSeconds(25);
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration LONG_TTL = Duration.ofHours(1);

    /** The region reports leases in whole seconds, rounded down. */
    private static final Duration ROUNDING = Duration.ofSeconds(1);

    /** The precision of instants that are reported in milliseconds. */
    private static final Duration MILLISECOND = Duration.ofMillis(1);

    /** A sweep whose clock is behind is late by the same duration. */
    private static final Duration TIMEOUT = Duration.ofMinutes(4);

    private final String name;
    private final Duration ahead;

    @SuppressWarnings("NullAway.Init")
    private RunningStack stack;

    @SuppressWarnings("NullAway.Init")
    private Api api;

    /**
     * @param ahead how far the control plane's clock is ahead of this machine's
     */
    DifferentClocks(String name, Duration ahead) {
        this.name = name;
        this.ahead = ahead;
    }

    @BeforeAll
    void start() {
        stack =
                RunningStack.start(
                        name,
                        config ->
                                config.regions(REGION)
                                        .workersPerRegion(1)
                                        .workerCapacity(CAPACITY_CHUNKS * (CHUNK + FOOTER))
                                        // No eviction for the watermark: only a version that needs
                                        // space causes one.
                                        .property("forebay.sweep.high-watermark", "1")
                                        .clocks(
                                                new Clocks(
                                                        ahead,
                                                        ahead.negated(),
                                                        ahead.multipliedBy(2))));
        api = stack.api();
    }

    @AfterAll
    void stop() {
        stack.close();
    }

    /** Without this, the other tests here would prove nothing. */
    @Test
    void theClocksDiffer() throws Exception {
        assertAhead(stack.stack().controlPlane(), ahead);
        assertAhead(stack.region(REGION).agent(), ahead.negated());
        assertAhead(stack.region(REGION).worker(0), ahead.multipliedBy(2));
    }

    private static void assertAhead(QuarkusProcess process, Duration by) throws Exception {
        Instant before = Instant.now();
        Instant told = ProcessFigures.clock(process.pid());
        assertThat(told)
                .as(process.name())
                .isBetween(before.plus(by).minus(MILLISECOND), Instant.now().plus(by));
    }

    /** "Pins": a renewed pin lives in spite of sweeps, and then for one more lease. */
    @Test
    void aPinLastsWhileItIsRenewedAndThenExpires() throws Exception {
        Map<String, byte[]> tree = smallTree(1);
        registered("canary", smallTree(2), Duration.ofSeconds(2));
        Instant before = Instant.now();
        JsonNode receipt = heldFor(LEASE, "held", tree, Duration.ofSeconds(2));

        // By Temporal's clock, which is this machine's.
        assertThat(expiry(receipt.get("pin")))
                .isBetween(before.plus(LEASE).minus(MILLISECOND), Instant.now().plus(LEASE));
        Holder holder = new Holder("held");
        holder.renew();
        Await.until("the region has the pin", TIMEOUT, () -> isHeld("held"));
        api.ensure(version("canary"), REGION);
        Await.until(
                "a sweep has evicted the unpinned version",
                TIMEOUT,
                () -> {
                    holder.renewIfDue();
                    return state("canary").equals("ABSENT");
                });
        assertThat(isHeld("held")).isTrue();
        assertThat(state("held")).isEqualTo("CACHED");
        stack.readAll(REGION, version("held"), tree);

        holder.renew();
        Await.until("the pin has expired", TIMEOUT, () -> !isHeld("held"));

        assertThat(Instant.now())
                .isBetween(holder.sent.plus(LEASE), holder.answered.plus(LEASE.multipliedBy(2)));
        Await.until("the version is evicted, too", TIMEOUT, () -> state("held").equals("ABSENT"));
        assertThat(api.get(path("held") + "/pins").expect(200).body().get("items")).isEmpty();
    }

    /** A holder of a version that uses only the API. */
    private final class Holder {
        private final String dataset;
        private Instant sent = Instant.now();
        private Instant answered = Instant.now();

        Holder(String dataset) {
            this.dataset = dataset;
        }

        /** Renews every third of the lease, like the SDK. */
        void renewIfDue() throws Exception {
            if (Duration.between(sent, Instant.now()).compareTo(LEASE.dividedBy(3)) > 0) {
                renew();
            }
        }

        void renew() throws Exception {
            sent = Instant.now();
            JsonNode pin =
                    api.post(path(dataset) + "/pins/" + PIN + "/renew", Map.of("region", REGION))
                            .expect(200)
                            .body();
            answered = Instant.now();
            // By the control plane's clock.
            assertThat(expiry(pin).minus(ahead))
                    .isBetween(sent.plus(LEASE).minus(ROUNDING), answered.plus(LEASE));
        }
    }

    /** "Pins". */
    @Test
    void aPinAndAnEvictionThatRaceHaveOneWinner() throws Exception {
        Map<String, byte[]> tree = smallTree(3);
        registered("race", tree, LONG_TTL);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (int round = 1; round <= RACES; round++) {
                api.ensure(version("race"), REGION);
                CyclicBarrier together = new CyclicBarrier(2);
                Future<Api.Answer> pinning =
                        threads.submit(
                                () -> {
                                    together.await();
                                    return api.post(path("race") + "/pins", pin(LONG_LEASE));
                                });
                Future<Api.Answer> evicting =
                        threads.submit(
                                () -> {
                                    together.await();
                                    return api.post(
                                            path("race") + "/evict", Map.of("region", REGION));
                                });
                Api.Answer pin = pinning.get();
                Api.Answer eviction = evicting.get();

                assertThat(pin.status() == 201)
                        .as("round %d: %s, %s", round, pin, eviction)
                        .isNotEqualTo(eviction.status() == 200);
                if (pin.status() == 201) {
                    assertThat(eviction.code()).isEqualTo("PINNED");
                    Await.until("the region has the pin", TIMEOUT, () -> isHeld("race"));
                    assertThat(state("race")).isEqualTo("CACHED");
                    stack.readAll(REGION, version("race"), tree);
                    release("race");
                } else {
                    assertThat(pin.code()).isIn("EVICTING", "NOT_FOUND");
                    assertThat(state("race")).isEqualTo("ABSENT");
                    Await.until("the region has no pin", TIMEOUT, () -> !isHeld("race"));
                }
            }
        }
    }

    /** "Sweeps": a dry run lists no pinned version. */
    @Test
    void aSweepDoesNotChooseAPinnedVersion() throws Exception {
        heldFor(LONG_LEASE, "deleted", smallTree(4), LONG_TTL);
        Await.until("the region has the pin", TIMEOUT, () -> isHeld("deleted"));
        api.delete("/datasets/" + NAMESPACE + "/deleted").expect(204);

        JsonNode plan = api.get("/regions/" + REGION + "/sweep/plan").expect(200).body();

        assertThat(isHeld("deleted")).as("still").isTrue();
        assertThat(plan.get("victims"))
                .noneMatch(each -> each.get("dataset").asText().equals(NAMESPACE + "/deleted"));
        assertThat(state("deleted")).isEqualTo("CACHED");
        release("deleted");
        Await.until("the version is evicted", TIMEOUT, () -> state("deleted").equals("ABSENT"));
    }

    /** "Time to live", "Admission": the workflow of the version alone decides. */
    @Test
    void aSpeculativeRequestEvictsAVersionOnlyAfterItsTimeToLive() throws Exception {
        registered("short", largeTree(5), TTL);
        registered("wanted", largeTree(6), LONG_TTL);
        Instant before = Instant.now();
        api.ensure(version("short"), REGION);
        Instant end = Instant.parse(residency("short").get("evictable_at").asText());
        assertThat(end).isBetween(before.plus(TTL), Instant.now().plus(TTL));

        // A speculative request evicts no version before its time to live has ended.
        String hint =
                api.accept(version("wanted"), Map.of("region", REGION, "priority", "speculative"));

        Await.until("the version is evicted", TIMEOUT, () -> !state("short").equals("CACHED"));
        assertThat(Instant.now()).isAfterOrEqualTo(end);
        JsonNode receipt = api.receipt(version("wanted"), REGION, hint, TIMEOUT);
        assertThat(receipt.get("bytes_verified").asLong()).isEqualTo((long) CHUNKS * CHUNK);
        api.post(path("wanted") + "/evict", Map.of("region", REGION)).expect(200);
    }

    /** "Time to live" after a read: the worker reports an age, not a time. */
    @Test
    void theRegionReportsTheCorrectAgeOfAVersionsLastRead() throws Exception {
        Map<String, byte[]> tree = smallTree(7);
        registered("read", tree, LONG_TTL);
        // A pod may prefetch a mounted version to its node before any read.
        Instant before = Instant.now();
        api.ensure(version("read"), REGION);
        stack.readAll(REGION, version("read"), tree);

        Await.until("the worker reports the read", TIMEOUT, () -> readAgo("read").isNumber());

        assertThat(readAgo("read").asLong())
                .isBetween(0L, Duration.between(before, Instant.now()).toSeconds());
    }

    /**
     * Returns the seconds since a node last read the version from a worker, according to the
     * region.
     */
    private JsonNode readAgo(String dataset) throws IOException, InterruptedException {
        for (JsonNode each : gateway().usage().get("versions")) {
            if (isOf(dataset, each)) {
                return each.path("seconds_since_read");
            }
        }
        throw new IOException(dataset + " is not mounted");
    }

    private boolean isHeld(String dataset) throws IOException, InterruptedException {
        for (JsonNode each : gateway().pins()) {
            if (isOf(dataset, each)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOf(String dataset, JsonNode each) {
        return each.at("/version/dataset/namespace").asText().equals(NAMESPACE)
                && each.at("/version/dataset/name").asText().equals(dataset);
    }

    private RegionGateway gateway() {
        return new RegionGateway(stack.region(REGION).agent().address());
    }

    /** Registers a dataset, and pins it in the region. */
    private JsonNode heldFor(Duration lease, String dataset, Map<String, byte[]> tree, Duration ttl)
            throws Exception {
        registered(dataset, tree, ttl);
        Map<String, Object> wish = Map.of("region", REGION, "pin", spec(lease));
        return api.receipt(version(dataset), REGION, api.accept(version(dataset), wish), TIMEOUT);
    }

    private void registered(String dataset, Map<String, byte[]> tree, Duration ttl)
            throws Exception {
        stack.lake().putAll(dataset + "/", tree);
        api.register(NAMESPACE + "/" + dataset, "s3://datasets/" + dataset + "/", ttl);
    }

    private void release(String dataset) throws Exception {
        api.delete(path(dataset) + "/pins/" + PIN + "?region=" + REGION).expect(204);
    }

    private static Map<String, Object> spec(Duration lease) {
        return Map.of("id", PIN, "holder", "test", "lease_seconds", lease.toSeconds());
    }

    private static Map<String, Object> pin(Duration lease) {
        Map<String, Object> pin = new HashMap<>(spec(lease));
        pin.put("region", REGION);
        return pin;
    }

    private static Instant expiry(JsonNode pin) {
        return Instant.parse(pin.get("expires_at").asText());
    }

    private JsonNode residency(String dataset) throws InterruptedException {
        return api.residency(version(dataset), REGION);
    }

    private String state(String dataset) throws InterruptedException {
        return residency(dataset).get("state").asText();
    }

    private static String version(String dataset) {
        return NAMESPACE + "/" + dataset + "@v1";
    }

    private static String path(String dataset) {
        return Api.path(version(dataset));
    }

    private static Map<String, byte[]> smallTree(int seed) {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 5; i++) {
            tree.put(i + ".bin", bytes(100L * seed + i, 1_000 + 997 * i));
        }
        return tree;
    }

    private static Map<String, byte[]> largeTree(int seed) {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < CHUNKS; i++) {
            tree.put(i + ".bin", bytes(100L * seed + i, CHUNK));
        }
        return tree;
    }
}
