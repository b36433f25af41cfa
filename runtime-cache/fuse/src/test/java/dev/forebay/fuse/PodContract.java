package dev.forebay.fuse;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.ChildProcess;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.tool.Toolbox;
import dev.forebay.fuse.options.TransportChoice;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the packaged program as a process: its start, its refusals, its end, and its death. */
abstract class PodContract {

    private static final Path JAR = Path.of("target/forebay-fuse/forebay-fuse.jar");
    private static final DatasetVersion VERSION = DatasetVersion.of("vision", "digits", "v1");

    /** Longer than the minute after which a pod retries a failed prewarm. */
    private static final Duration TIMEOUT = Duration.ofSeconds(100);

    /** Where files' blocks are scattered, ext4 also counts the blocks that list them. */
    static final int OF_FILE_SYSTEM_KIB = 256;

    @TempDir static Path directory;
    private static EtcdServer etcd;
    static FakeWorker worker;
    static EtcdRegionState region;
    static TestDataset dataset;

    final TransportChoice transport;
    private final List<Process> started = new ArrayList<>();
    Path mountpoint;
    Path output;
    private String directMemory = "128m";

    PodContract(TransportChoice transport) {
        this.transport = transport;
    }

    @BeforeAll
    static void startRegion() throws Exception {
        etcd = EtcdServer.start(directory.resolve("etcd"));
        worker = new FakeWorker();
        SortedMap<String, byte[]> objects = TestDataset.noObjects();
        objects.put("a.bin", TestDataset.bytes(3_000_000, 1));
        objects.put("large.bin", TestDataset.bytes(20_000_000, 2));
        for (int i = 0; i < 200; i++) {
            objects.put("small/%03d".formatted(i), TestDataset.bytes(i * 100, i));
        }
        dataset = TestDataset.write(directory, VERSION, objects);
        worker.serve(dataset);
        region =
                EtcdRegionState.connect(
                        EtcdConfig.of(List.of(etcd.endpoint()))
                                .withRequestTimeout(Duration.ofSeconds(30)),
                        new RegionName("r1"));
        AutoCloseable _ = region.join(worker.node());
        region.mount(VERSION, dataset.mount().manifest());
        region.markCached(VERSION);
    }

    @AfterAll
    static void stopRegion() {
        region.close();
        worker.close();
        etcd.close();
    }

    @BeforeEach
    void makeMountpoint() throws IOException {
        mountpoint = Files.createTempDirectory(directory, "mnt");
        output = Files.createTempFile(directory, "pod", ".log");
    }

    @AfterEach
    void endAll() throws Exception {
        for (Process process : started) {
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        if (mounted()) {
            new ProcessBuilder("umount", "-l", mountpoint.toString()).start().waitFor();
        }
    }

    Process start(Map<String, String> otherwise, String... wrapper) throws IOException {
        List<String> command = new ArrayList<>(List.of(wrapper));
        JavaCommand java =
                JavaCommand.of(Program.POD, JAR)
                        .withoutSecondCompiler()
                        .options("-Xmx128m", "-XX:MaxDirectMemorySize=" + directMemory);
        Toolbox.ofThisMachine()
                .libfuse2()
                .ifPresent(path -> java.options("-Djnr.ffi.library.path=" + path));
        command.addAll(java.build());
        Map<String, String> options = new LinkedHashMap<>();
        options.put("--region", "r1");
        options.put("--metrics-port", "0");
        options.put("--etcd-endpoints", etcd.endpoint().toString());
        options.put("--mountpoint", mountpoint.toString());
        options.put("--transport", transport.name().toLowerCase(Locale.ROOT));
        options.put("--memory-cache", "16M");
        options.put("--directory", directory.resolve("pod").toString());
        options.putAll(otherwise);
        options.forEach((option, value) -> command.add(option + "=" + value));
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        Process process = ChildProcess.start(builder);
        started.add(process);
        return process;
    }

    Process ready() throws IOException {
        return ready(Map.of());
    }

    Process ready(Map<String, String> otherwise) throws IOException {
        Process process = start(otherwise);
        says("is mounted at", process);
        await(process, () -> Files.exists(mountpoint.resolve(VERSION.path())));
        return process;
    }

    void says(String text, Process process) throws IOException {
        await(process, () -> Files.readString(output).contains(text));
    }

    @FunctionalInterface
    private interface Check {
        boolean holds() throws IOException;
    }

    private void await(Process process, Check condition) throws IOException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.holds()) {
            assertThat(process.isAlive()).as("%s", Files.readString(output)).isTrue();
            assertThat(System.nanoTime()).as("%s", Files.readString(output)).isLessThan(deadline);
            LockSupport.parkNanos(20_000_000);
        }
    }

    boolean mounted() throws IOException {
        return Files.readString(Path.of("/proc/self/mountinfo")).contains(mountpoint.toString());
    }

    void servesTheVersion() {
        TestDataset.assertHas(file("a.bin"), TestDataset.bytes(3_000_000, 1));
    }

    void servesEveryFile() {
        TestDataset.assertShows(mountpoint.resolve(VERSION.path()), dataset.objects());
    }

    /** There are more readers at once than memory for answers. */
    @Test
    void readersWaitForOneAnotherWhenMemoryIsShort() throws Exception {
        directMemory = "24m";
        Process process = ready(Map.of("--memory-cache", "64M", "--directory", emptyDirectory()));
        assertThat(Files.readString(output)).contains("--memory-cache is 64 MiB, of which 12 MiB");
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> reads = new ArrayList<>();
            dataset.objects()
                    .forEach(
                            (key, bytes) ->
                                    reads.add(
                                            threads.submit(
                                                    () ->
                                                            assertThat(file(key))
                                                                    .hasBinaryContent(bytes))));
            for (Future<?> read : reads) {
                assertThat(read).as(this::log).succeedsWithin(Duration.ofSeconds(60));
            }
        }
        assertThat(process.isAlive()).isTrue();
    }

    private String log() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String emptyDirectory() throws IOException {
        return Files.createTempDirectory(directory, "pod").toString();
    }

    Path file(String key) {
        return mountpoint.resolve(VERSION.path()).resolve(key);
    }

    void refuses(String because, Map<String, String> otherwise) throws Exception {
        Process process = start(otherwise);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isNotZero();
        assertThat(Files.readString(output)).contains(because);
    }

    @Test
    void servesAndUnmountsOnSigterm() throws Exception {
        Process process = ready();
        servesTheVersion();
        long before = System.nanoTime();
        process.destroy();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(30));
        assertThat(mounted()).isFalse();
        assertThat(mountpoint).isEmptyDirectory();
    }

    @Test
    void unmountsWithAFileOpen() throws Exception {
        Process process = ready();
        InputStream open = Files.newInputStream(mountpoint.resolve(VERSION.path() + "/a.bin"));
        assertThat(open.read()).isNotNegative();
        process.destroy();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(mounted()).isFalse();
        try {
            open.close();
        } catch (IOException nobodyServes) {
            // Closing a file of the tree fails; closing one of an image needs no server.
            assertThat(nobodyServes).hasMessageContaining("not connected");
        }
    }

    @Test
    void aPodExitsWhenAnotherProcessUnmounts() throws Exception {
        Process process = ready();
        assertThat(new ProcessBuilder("umount", "-l", mountpoint.toString()).start().waitFor())
                .isZero();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void cleansUpAfterAPodThatWasKilled() throws Exception {
        Process process = ready();
        process.destroyForcibly();
        process.waitFor();
        assertThat(mounted()).isTrue();
        ready();
        servesTheVersion();
        assertThat(Files.readString(output)).contains("The process of mount");
    }

    /** "Strict reads". */
    @Test
    void reportsHealthAndMetrics() throws Exception {
        Process pod =
                ready(
                        Map.of(
                                "--directory",
                                Files.createTempDirectory(directory, "own").toString()));
        servesTheVersion();
        URI uri = address();
        measures(
                pod,
                "forebay_fuse_views.view=\"(portable|on_demand|native)\". 1.0",
                "forebay_fuse_operations_seconds_count.operation=\"read\"",
                "forebay_fuse_worker_bytes_total.source=\"cache\"",
                "forebay_fuse_etcd_connected 1.0",
                "forebay_fuse_mounted_files 202.0");
        try (HttpClient client = HttpClient.newHttpClient()) {
            // Without root, read-ahead stays low, and the answer reports it.
            assertThat(get(client, uri.resolve("/health/live")).statusCode()).isIn(200, 307);
            assertThat(get(client, uri.resolve("/health/ready")).statusCode()).isEqualTo(200);
        }
    }

    /** Waits until the metrics match these patterns; events are counted with a small delay. */
    void measures(Process process, String... patterns) throws IOException {
        URI metrics = address().resolve("/metrics");
        for (String pattern : patterns) {
            await(process, () -> Pattern.compile(pattern).matcher(scraped(metrics)).find());
        }
    }

    URI address() throws IOException {
        Matcher address = Pattern.compile("http://127[^ /]+").matcher(Files.readString(output));
        assertThat(address.find()).isTrue();
        return URI.create(address.group());
    }

    private static String scraped(URI uri) throws IOException {
        try (InputStream in = uri.toURL().openStream()) {
            return new String(in.readAllBytes(), US_ASCII);
        }
    }

    static HttpResponse<String> get(HttpClient client, URI uri) throws Exception {
        return client.send(
                HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void refusesAMountpointOrADirectoryThatAnotherPodUses() throws Exception {
        ready();
        refuses("mounted by another running forebay-fuse", Map.of());
        Path link = Files.createSymbolicLink(mountpoint.resolveSibling("link"), mountpoint);
        refuses("mounted by another running forebay-fuse", Map.of("--mountpoint", link.toString()));
        Files.delete(link);
        mountpoint = Files.createTempDirectory(directory, "second");
        refuses("is in use by another process", Map.of());
    }
}
