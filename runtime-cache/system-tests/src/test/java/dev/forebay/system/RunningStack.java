package dev.forebay.system;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.FaultProxy;
import dev.forebay.devstack.server.LiveFiles;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.stack.Region;
import dev.forebay.devstack.stack.Stack;
import dev.forebay.devstack.stack.StackConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A running stack with access to its lake and its API. */
final class RunningStack implements AutoCloseable {

    static final String KOREA = "ap-northeast-2";
    static final String VIRGINIA = "us-east-1";
    static final Duration SWEEP_INTERVAL = Duration.ofSeconds(3);

    private static final AtomicInteger STARTED = new AtomicInteger();

    private final Path data;
    private final Stack stack;
    private final FaultProxy lakeProxy;
    private final LakeFixture lake;
    private final Api api;

    private RunningStack(Path data, Stack stack, FaultProxy lakeProxy, Optional<String> token) {
        this.data = data;
        this.stack = stack;
        this.lakeProxy = lakeProxy;
        S3Server s3 = stack.lake();
        this.lake = new LakeFixture(s3.endpoint(), s3.accessKey(), s3.secretKey(), s3.accessLog());
        this.api = new Api(stack.api(), token);
    }

    /**
     * Starts a stack in its own directory in {@code target/stacks}, where its logs stay. The own
     * directory keeps the access log of another stack out of the counts.
     */
    static RunningStack start(String name, Consumer<StackConfig.Builder> change) {
        Path data =
                Path.of(
                        "target",
                        "stacks",
                        "%s-%d-%d"
                                .formatted(
                                        name,
                                        ProcessHandle.current().pid(),
                                        STARTED.incrementAndGet()));
        AtomicReference<FaultProxy> proxy = new AtomicReference<>();
        StackConfig.Builder config =
                StackConfig.inDirectory(data)
                        .lakeAsSeen(lake -> proxied(lake, proxy))
                        .buckets(LakeFixture.BUCKET)
                        .sweepInterval(SWEEP_INTERVAL)
                        .shortLived()
                        // On a busy machine workers must still get bytes from peers and not from
                        // the lake.
                        .property("forebay.worker.peers.first-byte", "8s")
                        .property("forebay.worker.peers.timeout", "8s")
                        // Shorter than in production, because tests wait for them.
                        .property("forebay.worker.accounts.interval", "1s")
                        .property("forebay.worker-grace", "15S");
        change.accept(config);
        StackConfig built = config.build();
        Optional<String> token = built.tokenFile().map(RunningStack::read);
        Stack stack = Stack.start(built);
        return new RunningStack(data, stack, Objects.requireNonNull(proxy.get()), token);
    }

    private static String read(Path token) {
        try {
            return Files.readString(token).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static URI proxied(URI lake, AtomicReference<FaultProxy> proxy) {
        FaultProxy before = FaultProxy.before(lake);
        proxy.set(before);
        return before.endpoint();
    }

    Stack stack() {
        return stack;
    }

    Region region(String name) {
        return stack.region(name);
    }

    /** Returns the chunk store of a worker. */
    Path store(String region, int worker) {
        return data.resolve("regions").resolve(region).resolve("worker-" + worker).resolve("store");
    }

    /** Returns the chunk files of a worker. Concurrent tests may be removing some of them. */
    List<Path> chunkFiles(String region, int worker) throws IOException {
        return LiveFiles.below(store(region, worker).resolve("chunks"));
    }

    /** Returns the number of chunks on the disks of the two workers of a region. */
    int countChunkFiles(String region) throws IOException {
        return chunkFiles(region, 0).size() + chunkFiles(region, 1).size();
    }

    LakeFixture lake() {
        return lake;
    }

    /** Returns the proxy through which Forebay's processes reach the lake. Tests bypass it. */
    FaultProxy lakeProxy() {
        return lakeProxy;
    }

    Api api() {
        return api;
    }

    /** Returns the path where a version {@code ns/name@v} is mounted in a region. */
    Path mounted(String region, String version) {
        return stack.region(region).mountpoint().resolve(version.replace('@', '/'));
    }

    /**
     * Returns the mount path after the node shows it, which happens shortly after the region knows
     * it.
     */
    Path awaitMounted(String region, String version) {
        Path mounted = mounted(region, version);
        Await.until(
                "the node has heard of " + version,
                Duration.ofSeconds(60),
                () -> Files.exists(mounted));
        return mounted;
    }

    /** Reads the whole tree through the mount and compares it. */
    void readAll(String region, String version, Map<String, byte[]> tree) throws IOException {
        Path mounted = awaitMounted(region, version);
        for (Map.Entry<String, byte[]> file : tree.entrySet()) {
            assertThat(Files.readAllBytes(mounted.resolve(file.getKey())))
                    .as(file.getKey())
                    .isEqualTo(file.getValue());
        }
    }

    @Override
    public void close() {
        lake.close();
        stack.close();
        lakeProxy.close();
        deleteData();
    }

    /** Deletes everything except logs: a stack's lake and caches take gigabytes. */
    private void deleteData() {
        try (Stream<Path> all = Files.walk(data)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                boolean log = each.toString().endsWith(".log");
                if (!log && (!Files.isDirectory(each, NOFOLLOW_LINKS) || isEmpty(each))) {
                    Files.delete(each);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.findAny().isEmpty();
        }
    }
}
