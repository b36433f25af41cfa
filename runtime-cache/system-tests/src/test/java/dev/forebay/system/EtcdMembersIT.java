package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.server.EtcdCluster;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.stack.ExternalServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * "Reading without the control plane" and "Pins" in docs/semantics.md, with an etcd of three
 * members that sync their writes. It loses its leader in the middle of a fill, and then its quorum.
 * A pinned version is read throughout.
 */
@SuppressWarnings("NullAway.Init") // set before all tests, and before each
class EtcdMembersIT {

    private static final String REGION = RunningStack.VIRGINIA;
    private static final int CHUNKS = 4;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    @TempDir private static Path directory;
    private static EtcdCluster etcd;
    private static RunningStack stack;
    private static CrashCopy held;

    private final AtomicBoolean over = new AtomicBoolean();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private Future<Integer> reader;

    @BeforeAll
    static void start() throws Exception {
        etcd = EtcdCluster.start(directory);
        ExternalServers servers =
                new ExternalServers(
                        Optional.of(etcd.endpoints()),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty());
        stack = RunningStack.start("members", config -> config.regions(REGION).external(servers));
        held = new CrashCopy(stack, dataset("held"), REGION, line -> {});
        held.ensure(true);
    }

    @AfterAll
    static void stop() {
        stack.close();
        etcd.close();
    }

    @BeforeEach
    void beginToRead() {
        reader = thread.submit(this::readAllAlong);
    }

    private int readAllAlong() throws Exception {
        int rounds = 0;
        while (!over.get()) {
            stack.readAll(REGION, held.dataset().version(), held.dataset().tree());
            rounds++;
            Await.pause();
        }
        return rounds;
    }

    /** No reader saw an error or a wrong byte, and the pin is unchanged. */
    @AfterEach
    void readersSawNothingAndThePinIsThere() throws Exception {
        over.set(true);
        thread.shutdown();
        assertThat(reader.get()).isPositive();
        Await.until(
                "the pin protects its version",
                TIMEOUT,
                () -> {
                    Api.Answer answer =
                            stack.api().post(held.path("/evict"), Map.of("region", REGION));
                    assertThat(answer.status()).isNotEqualTo(200);
                    return answer.code().equals("PINNED");
                });
        stack.api()
                .post(held.path("/pins/" + held.pin() + "/renew"), Map.of("region", REGION))
                .expect(200);
    }

    @Test
    void aFillContinuesWhenTheEtcdLeaderDies() throws Exception {
        EtcdServer leader = etcd.leader();
        try {
            fillWhile("killed", leader::kill9);
        } finally {
            leader.restart();
        }
    }

    /** The leader's connections stay open, but it does not answer. */
    @Test
    void aFillContinuesWhenTheEtcdLeaderHangs() throws Exception {
        EtcdServer leader = etcd.leader();
        try {
            fillWhile("hangs", leader::pause);
        } finally {
            leader.resume();
        }
    }

    /** Both a running fill and a new one report why they wait, and continue by themselves. */
    @Test
    void fillsWaitWithoutAnEtcdQuorumAndContinueOnceItIsBack() throws Exception {
        List<EtcdServer> lost = etcd.members().subList(0, 2);
        CrashDataset begun = dataset("begun");
        CrashDataset next = dataset("next");
        String first;
        String second;
        try {
            try (LakeGate gate = LakeGate.close(stack, begun.prefix(), 1)) {
                first = stack.api().accept(begun.version(), Map.of("region", REGION));
                gate.awaitHeld();
                lost.forEach(EtcdServer::kill9);
                Await.until("the agent has no etcd", TIMEOUT, () -> !etcdIsReachable());
            }
            second = stack.api().accept(next.version(), Map.of("region", REGION));
            awaitSaysThatItWaitsForEtcd(begun);
            awaitSaysThatItWaitsForEtcd(next);
        } finally {
            lost.forEach(EtcdServer::restart);
        }
        assertComplete(begun, first);
        assertComplete(next, second);
    }

    private static boolean etcdIsReachable() throws Exception {
        JsonNode regions = stack.api().get("/regions").expect(200).body().get("items");
        return regions.get(0).get("etcd_reachable").asBoolean();
    }

    private static void awaitSaysThatItWaitsForEtcd(CrashDataset dataset) {
        Await.until(
                dataset.version() + " says that it waits for etcd",
                TIMEOUT,
                () -> {
                    JsonNode status = stack.api().residency(dataset.version(), REGION);
                    return status.at("/waiting/message").asText().contains("etcd");
                });
    }

    private static CrashDataset dataset(String name) throws Exception {
        CrashDataset dataset = CrashDataset.of("members/" + name, CHUNKS, name.hashCode());
        dataset.register(stack);
        return dataset;
    }

    private static void fillWhile(String name, Runnable lost) throws Exception {
        CrashDataset dataset = dataset(name);
        String request;
        try (LakeGate gate = LakeGate.close(stack, dataset.prefix(), 1)) {
            request = stack.api().accept(dataset.version(), Map.of("region", REGION));
            gate.awaitHeld();
            lost.run();
        }
        assertComplete(dataset, request);
    }

    private static void assertComplete(CrashDataset dataset, String request) throws Exception {
        assertThat(
                        stack.api()
                                .receipt(dataset.version(), REGION, request, TIMEOUT)
                                .get("bytes_verified")
                                .asLong())
                .isEqualTo(dataset.bytes());
        stack.readAll(REGION, dataset.version(), dataset.tree());
    }
}
