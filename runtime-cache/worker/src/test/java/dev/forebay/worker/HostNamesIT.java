package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.devstack.fault.NameServer;
import dev.forebay.devstack.fault.NamedHost;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * "Host names" in docs/operations.md: workers that know etcd, the lake and each other by name.
 * Their name server does not know a name yet, fails, does not answer, or returns a new address.
 */
@SuppressWarnings("NullAway.Init") // set before all tests
class HostNamesIT extends RunningWorker {

    private static final int BYTES = 100_000;

    private static NameServer names;
    private static NamedHost etcd;
    private static NamedHost lake;
    private static NamedHost peer;

    /** Keeps an address while the name server does not answer. */
    private static WorkerProcess faithful;

    /** Looks up an address each time. */
    private static WorkerProcess forgetful;

    private static final List<AutoCloseable> OPEN = new ArrayList<>();
    private static int versions;

    @BeforeAll
    static void startWorkersWhoseNamesAreNotKnownYet() throws Exception {
        Optional<NameServer> allowed = NameServer.startIfAllowed(DIRECTORY.resolve("names"));
        assumeTrue(allowed.isPresent(), "only root has a name server and a resolv.conf of its own");
        names = opened(allowed.get());
        etcd = host("etcd", region.etcd.endpoint());
        lake = host("lake", region.s3.endpoint());
        Future<WorkerProcess> first = starting("faithful", "sun.net.inetaddr.ttl=1");
        Future<WorkerProcess> second =
                starting("forgetful", "sun.net.inetaddr.ttl=0", "forebay.lake.attempts=2");
        Path log = DIRECTORY.resolve("faithful").resolve("faithful.log");
        await(() -> Files.readString(log).contains("cannot resolve"));
        assertThat(first.isDone()).isFalse();

        etcd.appear();

        faithful = opened(first.get());
        forgetful = opened(second.get());
        peer = host("faithful", faithful.address());
    }

    private static NamedHost host(String name, URI server) {
        return opened(NamedHost.of(names, name + ".forebay.test", server.getPort()));
    }

    private static <T extends AutoCloseable> T opened(T closeable) {
        OPEN.add(closeable);
        return closeable;
    }

    private static Future<WorkerProcess> starting(String name, String... own) {
        List<String> all =
                Stream.concat(
                                Stream.of(
                                        "forebay.etcd.endpoints=http://etcd.forebay.test:"
                                                + region.etcd.endpoint().getPort(),
                                        "forebay.lake.endpoint=http://lake.forebay.test:"
                                                + region.s3.endpoint().getPort(),
                                        "forebay.lake.idle-timeout=1s",
                                        "forebay.worker.peers.attempts=0"),
                                Arrays.stream(own))
                        .toList();
        return CompletableFuture.supplyAsync(
                () ->
                        WorkerProcess.start(
                                names,
                                name + ".forebay.test",
                                region,
                                DIRECTORY.resolve(name),
                                name,
                                all.toArray(String[]::new)));
    }

    @BeforeEach
    void everyHostAppears() {
        names.goOn();
        Stream.of(etcd, lake, peer).forEach(NamedHost::appear);
    }

    @AfterAll
    static void close() throws Exception {
        for (AutoCloseable each : OPEN.reversed()) {
            each.close();
        }
        OPEN.clear();
    }

    @Test
    void aFillNamesAnUnresolvedHostAndSucceedsOnceItResolves() throws Exception {
        TestVersion version = mountedOn(forgetful);
        lake.disappear();
        lake.breakConnections();

        assertThatThrownBy(() -> fill(forgetful, version))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_UNAVAILABLE))
                .hasMessageContaining("the host name lake.forebay.test");

        lake.appear();
        awaitFilled(forgetful, version);
    }

    @Test
    void cachedReadsContinueWhileAFillWaitsForASilentNameServer() throws Exception {
        TestVersion held = mountedOn(forgetful);
        awaitFilled(forgetful, held);
        TestVersion wanted = mountedOn(forgetful);
        names.fallSilent();
        lake.breakConnections();

        Future<?> filling = CompletableFuture.runAsync(() -> awaitFilled(forgetful, wanted));
        await(() -> lake.wasAskedFor());
        for (int i = 0; i < 20; i++) {
            assertThat(read(forgetful, held).headers().firstValue("Forebay-Source"))
                    .hasValue("cache");
        }
        assertThat(filling.isDone()).isFalse();

        names.goOn();
        filling.get();
    }

    @Test
    void fillsUseTheLastKnownAddressWhileNameServersFail() throws Exception {
        awaitFilled(faithful, mountedOn(faithful));
        names.fail();
        do {
            fillAnotherOverNewConnections();
        } while (!lake.wasAskedFor());
        // The address had expired when the worker looked it up.
        fillAnotherOverNewConnections();
    }

    private static void fillAnotherOverNewConnections() {
        TestVersion next = mountedOn(faithful);
        lake.breakConnections();
        fill(faithful, next);
    }

    @Test
    void aWorkerFollowsTheLakeAndEtcdToTheirNewAddresses() throws Exception {
        TestVersion held = mountedOn(faithful);
        awaitFilled(faithful, held);

        etcd.move();
        lake.move();

        assertThat(read(faithful, held).statusCode()).isEqualTo(206);
        awaitFilled(faithful, mountedOn(faithful));
    }

    @Test
    void aWorkerFollowsAnotherWorkerToItsNewAddress() throws Exception {
        try (WorkerProcess reader =
                starting(
                                "reader",
                                "sun.net.inetaddr.ttl=1",
                                "forebay.worker.peers.attempts=16",
                                "forebay.worker.peers.timeout=1s",
                                "forebay.worker.peers.first-byte=1s",
                                "forebay.worker.peers.back-off=0s")
                        .get()) {
            await(() -> "peer".equals(sourceOfWhatThePeerHolds(reader)));

            peer.move();

            assertThat(sourceOfWhatThePeerHolds(reader)).isIn("lake", "peer");
            await(() -> "peer".equals(sourceOfWhatThePeerHolds(reader)));
        }
    }

    /** Reads a version through a worker that does not hold it, while only one other worker does. */
    private static String sourceOfWhatThePeerHolds(WorkerProcess reader) throws Exception {
        TestVersion version = mountedOn(faithful);
        awaitFilled(faithful, version);
        awaitMounted(reader, version);
        return read(reader, version).headers().firstValue("Forebay-Source").orElseThrow();
    }

    private static TestVersion mountedOn(WorkerProcess process) {
        String name = "named-" + ++versions;
        region.put(name + "/object", content(name));
        TestVersion version = region.mount(name, name + "/");
        awaitMounted(process, version);
        return version;
    }

    private static byte[] content(String version) {
        return random(version.hashCode(), BYTES);
    }

    private static void fill(WorkerProcess process, TestVersion version) {
        client.fill(process.node(), version.ref().digest(), version.chunks().getFirst().chunk());
    }

    private static void awaitFilled(WorkerProcess process, TestVersion version) {
        await(
                () -> {
                    fill(process, version);
                    return true;
                });
    }

    /** Reads a version and compares every byte. */
    private static HttpResponse<byte[]> read(WorkerProcess process, TestVersion version)
            throws Exception {
        HttpResponse<byte[]> answer =
                process.get(version.readPath(), "Range", "bytes=0-" + (BYTES - 1));
        assertThat(answer.body()).isEqualTo(content(version.name().version()));
        return answer;
    }
}
