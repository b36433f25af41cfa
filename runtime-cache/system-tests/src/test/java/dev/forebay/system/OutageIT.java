package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.server.Server;
import dev.forebay.devstack.stack.Region;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads while other processes are down: "Crashes" in docs/semantics.md. */
@ExtendWith(SharedStack.class)
class OutageIT {

    private static final String REGION = RunningStack.VIRGINIA;

    private final RunningStack stack;
    private final Api api;
    private final LakeFixture lake;

    OutageIT(RunningStack stack) {
        this.stack = stack;
        this.api = stack.api();
        this.lake = stack.lake();
    }

    /** "Reading without the control plane". */
    @Test
    void readsContinueWithoutControlPlaneTemporalPostgresAgentAndEtcd() throws Exception {
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
     * "Each byte is fetched once": a worker that dies for good costs only the chunks that it held,
     * and readers see at most a pause.
     */
    @Test
    void readersUseTheOtherWorkerWhileOneIsDown() throws Exception {
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
     * "Paths": a killed pod leaves a stale mount. Its successor cleans up and serves the same tree.
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

    /** "Readers survive a pod that dies": in the region whose mount has a holder. */
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

    /**
     * "A node that reboots": all its processes end at the same moment, and its mounts and {@code
     * /run} are lost. The loss of unsynced writes in a power failure cannot be emulated here. The
     * stores have tests with torn files.
     */
    @Test
    void aRebootedNodeServesFromItsDisksWithoutTheLake() throws Exception {
        String version = "crash/reboot@v1";
        Region node = stack.region(RunningStack.KOREA);
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 8; i++) {
            tree.put(i + ".bin", bytes(400 + i, 3_000_000));
        }
        lake.putAll("reboot/", tree);
        api.register("crash/reboot", "s3://datasets/reboot/", Duration.ofHours(1));
        Map<String, Object> pinned =
                Map.of(
                        "region",
                        node.name(),
                        "pin",
                        Map.of("id", "p", "holder", "job", "lease_seconds", 900));
        api.receipt(version, node.name(), api.accept(version, pinned), Duration.ofMinutes(2));
        byte[] before =
                Files.readAllBytes(stack.awaitMounted(node.name(), version).resolve("0.bin"));
        int gets = lake.countGets("reboot/");

        List<Server> processes = new ArrayList<>(node.workers());
        processes.add(node.agent());
        atOnce(processes, Server::kill9, node.fuse()::powerOff);
        assertThat(node.mountpoint()).isEmptyDirectory();
        atOnce(processes, Server::restart, node.fuse()::restart);

        assertThat(before).isEqualTo(tree.get("0.bin"));
        stack.readAll(node.name(), version, tree);
        assertThat(new RegionGateway(node.agent().address()).pins())
                .anyMatch(pin -> pin.get("holder").asText().equals("job"));
        assertThat(
                        api.post(Api.path(version) + "/evict", Map.of("region", node.name()))
                                .expect(409)
                                .code())
                .isEqualTo("PINNED");
        assertThat(api.ensure(version, node.name()).get("bytes_verified").asLong())
                .isEqualTo(24_000_000);
        assertThat(lake.countGets("reboot/")).as("read from the disks alone").isEqualTo(gets);
        api.delete(Api.path(version) + "/pins/p?region=" + node.name()).expect(204);
    }

    private static void atOnce(List<Server> processes, Consumer<Server> action, Runnable more)
            throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> done = new ArrayList<>(List.of(threads.submit(more)));
            processes.forEach(each -> done.add(threads.submit(() -> action.accept(each))));
            for (Future<?> each : done) {
                each.get();
            }
        }
    }

    private static void awaitMore(AtomicLong rounds) throws Exception {
        long before = rounds.get();
        Await.until(
                "the reader has read two more rounds",
                Duration.ofSeconds(60),
                () -> rounds.get() > before + 1);
    }
}
