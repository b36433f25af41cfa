package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.server.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * kill -9 of each process, in the middle of a fill and at random moments: "Crashes" and "Fetched
 * once" in docs/semantics.md.
 */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrashIT {

    private static final int CHUNK = 8 << 20;
    private static final int CHUNKS = 48;
    private static final String REGION = RunningStack.VIRGINIA;

    /** Below any overflow, and short enough to be typed. */
    private static final long SEED =
            Long.getLong("forebay.seed", Math.floorMod(System.nanoTime(), 1_000_000_000L));

    private static final int ROUNDS = Integer.getInteger("forebay.chaos.rounds", 1);

    private final RunningStack stack;
    private final Api api;
    private final LakeFixture lake;

    CrashIT(RunningStack stack) {
        this.stack = stack;
        this.api = stack.api();
        this.lake = stack.lake();
    }

    /**
     * "An accepted request is not lost", "Fetched once", "Pins", "The ledger": each kind of process
     * dies at a random moment of a run with five datasets, two regions, pins and evictions.
     * Repeated by {@code -Dforebay.seed=…}; {@code -Dforebay.chaos.rounds} says how often, each
     * round with the next seed.
     */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void killsAtRandomMomentsLoseNothing(long seed) {
        System.out.println("Seed " + seed);
        new CrashRound(stack, seed).run();
    }

    static LongStream seeds() {
        return LongStream.range(SEED, SEED + ROUNDS);
    }

    /** "An accepted request is not lost", "Fetched once", "What a copy cost". */
    @ParameterizedTest
    @EnumSource(names = {"WORKER", "AGENT", "CONTROL_PLANE"})
    void aKillInTheMiddleOfAFillLosesNothingAndFetchesNothingTwiceThatWasComplete(Victim victim)
            throws Exception {
        aKillInTheMiddle(victim);
    }

    /** The same of the servers that these rely on. */
    @ParameterizedTest
    @EnumSource(names = {"TEMPORAL", "ETCD", "POSTGRES"})
    @Tag("long")
    void aServerThatIsKilledInTheMiddleOfAFillLosesNothing(Victim victim) throws Exception {
        aKillInTheMiddle(victim);
    }

    private void aKillInTheMiddle(Victim victim) throws Exception {
        String name = victim.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < CHUNKS; i++) {
            tree.put("%02d.bin".formatted(i), bytes(i, CHUNK));
        }
        lake.putAll("crash-" + name + "/", tree);
        String version = "crash/" + name + "@v1";
        api.register("crash/" + name, "s3://datasets/crash-" + name + "/", Duration.ofHours(1));

        String request = api.accept(version, Map.of("region", REGION));
        Await.until(
                "the fill is under way",
                Duration.ofSeconds(60),
                () -> !lake.gets("crash-" + name + "/").isEmpty());
        Server server = victim.in(stack, REGION);
        Server originals = stack.stack().lake();
        Map<String, Integer> atDeath;
        // A fill takes a second: all may be here before a process is gone.
        originals.pause();
        try {
            server.kill9();
            atDeath = lake.gets("crash-" + name + "/");
        } finally {
            originals.resume();
        }
        server.restart();
        JsonNode receipt = api.receipt(version, REGION, request, Duration.ofMinutes(3));

        assertThat(receipt.get("bytes_verified").asLong()).isEqualTo((long) CHUNKS * CHUNK);
        assertThat(atDeath.size()).as("killed in the middle").isLessThan(CHUNKS);
        stack.readAll(REGION, version, tree);
        // A chunk that was in flight when its worker died is the only one that may be fetched
        // again.
        int inFlight = victim == Victim.WORKER ? CrashAudit.FILLS_IN_FLIGHT : 0;
        int total =
                lake.gets("crash-" + name + "/").values().stream()
                        .mapToInt(Integer::intValue)
                        .sum();
        assertThat(total).isBetween(CHUNKS, CHUNKS + inFlight);
        // Each object is a chunk of its own. What a killed worker was just receiving it cannot have
        // counted; the lake has.
        assertThat(receipt.get("bytes_from_lake").asLong())
                .as("bytes_from_lake")
                .isBetween(
                        (long) (victim == Victim.WORKER ? CHUNKS : total) * CHUNK,
                        (long) total * CHUNK);
        api.post(Api.path(version) + "/evict", Map.of("region", REGION)).expect(200);
    }

    /** "A receipt means all of it". */
    @Test
    void aCopyThatLostADiskIsFilledAgainBeforeTheNextReceipt() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 6; i++) {
            tree.put(i + ".bin", bytes(200 + i, CHUNK));
        }
        lake.putAll("lost/", tree);
        api.register("crash/lost", "s3://datasets/lost/", Duration.ofHours(1));
        int[] before = chunkFiles();
        JsonNode first = api.ensure("crash/lost@v1", REGION);
        int victim = whoGotMore(before);
        Server worker = stack.region(REGION).worker(victim);
        worker.kill9();
        long lost = deleteChunks(victim);
        worker.restart();

        Map<String, Object> pinned =
                Map.of("region", REGION, "pin", Map.of("holder", "test", "lease_seconds", 60));
        JsonNode second =
                api.receipt(
                        "crash/lost@v1",
                        REGION,
                        api.accept("crash/lost@v1", pinned),
                        Duration.ofMinutes(3));

        assertThat(lost).isGreaterThan(0);
        assertThat(second.get("bytes_verified")).isEqualTo(first.get("bytes_verified"));
        assertThat(second.get("cached_at")).isNotEqualTo(first.get("cached_at"));
        int gets = lake.gets("lost/").values().stream().mapToInt(Integer::intValue).sum();
        assertThat(gets).isBetween(tree.size() + 1, 2 * tree.size());
        stack.readAll(REGION, "crash/lost@v1", tree);
        assertThat(lake.gets("lost/").values().stream().mapToInt(Integer::intValue).sum())
                .as("read from the region alone")
                .isEqualTo(gets);
    }

    /** "A pinned version that loses workers", "Sweeps": and what it then takes is its own. */
    @Test
    void whatAPinnedVersionHasLostIsFilledWithoutAnybodyAsking() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 8; i++) {
            tree.put(i + ".bin", bytes(400 + i, CHUNK));
        }
        lake.putAll("upkeep/", tree);
        api.register("crash/upkeep", "s3://datasets/upkeep/", Duration.ofHours(1));
        Map<String, Object> pinned =
                Map.of(
                        "region",
                        REGION,
                        "pin",
                        Map.of("id", "p", "holder", "test", "lease_seconds", 900));
        int[] before = chunkFiles();
        JsonNode first =
                api.receipt(
                        "crash/upkeep@v1",
                        REGION,
                        api.accept("crash/upkeep@v1", pinned),
                        Duration.ofMinutes(3));
        int victim = whoGotMore(before);
        Server worker = stack.region(REGION).worker(victim);
        worker.kill9();
        Await.until("the region has noticed", Duration.ofSeconds(60), () -> liveWorkers() == 1);
        long lost = deleteChunks(victim);
        worker.restart();

        Await.until(
                "it is complete again",
                Duration.ofMinutes(4),
                () -> {
                    JsonNode now = api.residency("crash/upkeep@v1", REGION);
                    return now.get("state").asText().equals("CACHED")
                            && !now.get("cached_at").equals(first.get("cached_at"));
                });

        assertThat(lost).isGreaterThan(0);
        int gets = lake.gets("upkeep/").values().stream().mapToInt(Integer::intValue).sum();
        assertThat(gets).isBetween(tree.size() + 1, 2 * tree.size());
        stack.readAll(REGION, "crash/upkeep@v1", tree);
        assertThat(lake.gets("upkeep/").values().stream().mapToInt(Integer::intValue).sum())
                .as("read from the region alone")
                .isEqualTo(gets);
        JsonNode plan = api.get("/regions/" + REGION + "/sweep/plan").expect(200).body();
        assertThat(plan.get("used_bytes").asLong()).isGreaterThanOrEqualTo(8L * CHUNK);
        assertThat(plan.get("victims"))
                .noneMatch(each -> each.get("dataset").asText().equals("crash/upkeep"));
        api.delete(Api.path("crash/upkeep@v1") + "/pins/p?region=" + REGION).expect(204);
    }

    private long liveWorkers() throws Exception {
        long live = 0;
        for (JsonNode region : api.get("/regions").body().get("items")) {
            for (JsonNode worker : region.get("workers")) {
                live +=
                        region.get("name").asText().equals(REGION) && worker.get("live").asBoolean()
                                ? 1
                                : 0;
            }
        }
        return live;
    }

    /** How many chunks each worker has. */
    private int[] chunkFiles() throws IOException {
        return new int[] {stack.chunkFiles(REGION, 0).size(), stack.chunkFiles(REGION, 1).size()};
    }

    /** Workers have other ids in each run: seldom, one of them owns nothing of a small version. */
    private int whoGotMore(int[] before) throws IOException {
        int[] now = chunkFiles();
        return now[0] - before[0] >= now[1] - before[1] ? 0 : 1;
    }

    /** Deletes the chunk files of a worker; returns how many there were. */
    private long deleteChunks(int worker) throws IOException {
        List<Path> chunks = stack.chunkFiles(REGION, worker);
        for (Path chunk : chunks) {
            Files.delete(chunk);
        }
        return chunks.size();
    }

    /** "Reading without the control plane". */
    @Test
    void readsGoOnWithoutControlPlaneTemporalPostgresAgentAndEtcd() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 5; i++) {
            tree.put(i + ".bin", bytes(i, 3_000_000));
        }
        lake.putAll("alone/", tree);
        api.register("crash/alone", "s3://datasets/alone/", Duration.ofHours(1));
        api.ensure("crash/alone@v1", REGION);
        Server[] others = {
            stack.stack().controlPlane(),
            stack.region(REGION).agent(),
            stack.region(REGION).etcd(),
            stack.stack().postgres(),
            stack.stack().temporal()
        };
        for (Server server : others) {
            server.kill9();
        }
        try {
            stack.readAll(REGION, "crash/alone@v1", tree);
        } finally {
            for (int i = others.length - 1; i >= 0; i--) {
                others[i].restart();
            }
        }
        assertThat(api.ensure("crash/alone@v1", REGION).get("bytes_verified").asLong())
                .isEqualTo(15_000_000);
    }

    /**
     * "Fetched once": a worker that dies for good costs what it held, and no reader sees more than
     * a pause.
     */
    @Test
    void readersGoToTheOtherWorkerWhileOneIsDown() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 8; i++) {
            tree.put(i + ".bin", bytes(100 + i, 5_000_000));
        }
        lake.putAll("down/", tree);
        api.register("crash/down", "s3://datasets/down/", Duration.ofHours(1));
        api.ensure("crash/down@v1", REGION);
        Server worker = stack.region(REGION).worker(1);
        worker.kill9();
        try {
            stack.readAll(REGION, "crash/down@v1", tree);
        } finally {
            worker.restart();
        }
    }

    /**
     * "Paths": a killed pod leaves a stale mount; its successor cleans up and serves the same tree.
     */
    @ParameterizedTest
    @ValueSource(strings = {RunningStack.KOREA, RunningStack.VIRGINIA})
    void aKilledFusePodMountsAgain(String region) throws Exception {
        Map<String, byte[]> tree = Map.of("x.bin", bytes(9, 200_000));
        String version = "crash/pod-" + region + "@v1";
        lake.putAll("pod-" + region + "/", tree);
        api.register(
                "crash/pod-" + region, "s3://datasets/pod-" + region + "/", Duration.ofHours(1));
        api.ensure(version, region);
        stack.readAll(region, version, tree);

        stack.region(region).fuse().kill9();
        stack.region(region).fuse().restart();

        Await.until(
                "the mount is back",
                Duration.ofSeconds(60),
                () -> Files.exists(stack.mounted(region, version).resolve("x.bin")));
        stack.readAll(region, version, tree);
    }

    /** "Readers and a pod that dies": in the region whose mount is held. */
    @Test
    void readersOfAHeldMountWaitForTheNextPodAndSeeNoError() throws Exception {
        String version = "crash/held@v1";
        String region = RunningStack.KOREA;
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 20; i++) {
            tree.put(i + ".bin", bytes(300 + i, 500_000));
        }
        lake.putAll("held/", tree);
        api.register("crash/held", "s3://datasets/held/", Duration.ofHours(1));
        api.ensure(version, region);
        AtomicBoolean ended = new AtomicBoolean();
        AtomicLong rounds = new AtomicLong();
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<?> reader =
                    thread.submit(
                            () -> {
                                while (!ended.get()) {
                                    stack.readAll(region, version, tree);
                                    rounds.incrementAndGet();
                                }
                                return true;
                            });
            try {
                for (int kill = 0; kill < 2; kill++) {
                    awaitMore(rounds);
                    stack.region(region).fuse().kill9();
                    stack.region(region).fuse().restart();
                }
                awaitMore(rounds);
            } finally {
                ended.set(true);
            }
            assertThat(reader.get()).isEqualTo(true);
        }
    }

    private static void awaitMore(AtomicLong rounds) throws Exception {
        long before = rounds.get();
        Await.until("it is read", Duration.ofSeconds(60), () -> rounds.get() > before + 1);
    }
}
