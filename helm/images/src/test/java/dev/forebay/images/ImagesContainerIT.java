package dev.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.PostgresServer;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.server.TemporalServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the programs in the images on real servers, only with the files in the images, as the users
 * that they name. Needs root, and the images of 'make images'.
 */
class ImagesContainerIT {

    private static final Path IMAGES = Path.of("../../target/images");

    /** Makes a start fail if the JVM rejects its AOT cache. */
    private static final String ONLY_WITH_CACHE = "-XX:AOTMode=on";

    /** The memory of the smallest container of a service. */
    private static final String LITTLE_MEMORY = " -XX:MaxRAM=256m";

    @TempDir private static Path directory;

    private static UnpackedImage service;
    private static UnpackedImage worker;
    private static UnpackedImage fuse;
    private static EtcdServer etcd;
    private static S3Server lake;
    private static TemporalServer temporal;

    @TempDir private Path own;

    @BeforeAll
    static void unpack() throws Exception {
        service = unpacked("service");
        worker = unpacked("worker");
        fuse = unpacked("fuse");
        etcd = EtcdServer.start(directory.resolve("etcd"));
        lake = S3Server.start(directory.resolve("lake"));
        lake.createBucket("forebay-manifests");
        temporal = TemporalServer.start(directory.resolve("temporal"));
    }

    @AfterAll
    static void stop() {
        temporal.close();
        lake.close();
        etcd.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"forebay-service", "forebay-worker", "forebay-fuse"})
    void anImageSupportsFileNamesInAnyScript(String image) throws Exception {
        assertThat(
                        image(image)
                                .outputOf(
                                        List.of(
                                                JavaRuntime.PLACE + "/bin/java",
                                                "-XshowSettings:properties",
                                                "-version"),
                                        Map.of()))
                .contains("sun.jnu.encoding = UTF-8", "java.home = " + JavaRuntime.PLACE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"forebay-service", "forebay-worker", "forebay-fuse"})
    void nothingInAnImageIsSetuid(String image) throws Exception {
        try (Stream<Path> tree = Files.walk(image(image).root())) {
            assertThat(tree.filter(path -> !path.startsWith(image(image).root().resolve("dev"))))
                    .allSatisfy(
                            path ->
                                    assertThat((int) Files.getAttribute(path, "unix:mode") & 06000)
                                            .isZero());
        }
        assertThat(image(image).root().resolve("bin/sh")).doesNotExist();
    }

    @Test
    void theWorkerImageRunsAWorker() throws Exception {
        assertThat(worker.user()).isEqualTo(Program.NOBODY);
        int port = Ports.free();
        Path disk = Files.createDirectories(worker.root().resolve("disks/0"));
        Files.setAttribute(disk, "unix:uid", 65532);
        Map<String, String> environment = common(port);
        environment.put("FOREBAY_REGION", "us-east-1");
        environment.put("FOREBAY_ETCD_ENDPOINTS", etcd.endpoint().toString());
        environment.put("FOREBAY_WORKER_CAPACITY", "64M");
        environment.put("FOREBAY_WORKER_DIRECTORY", "/disks/0/store");
        environment.put("FOREBAY_WORKER_ADVERTISED_ADDRESS", "http://127.0.0.1:" + port);
        try (ServerProcess process =
                worker.start("worker", own, List.of(), environment, ready(port))) {
            assertThat(owner(process.pid())).isEqualTo(65532);
            assertThat(Path.of("/proc/" + process.pid() + "/mountinfo"))
                    .content()
                    .containsPattern(" / ro[, ]");
            assertThat(disk.resolve("store")).isNotEmptyDirectory();
        }
    }

    @Test
    void theServiceImageRunsAControlPlane() throws Exception {
        assertThat(service.user()).isEqualTo(Program.NOBODY);
        int port = Ports.free();
        try (PostgresServer postgres = PostgresServer.start(directory.resolve("postgres"))) {
            Map<String, String> environment = common(port);
            environment.put("FOREBAY_ROLE", "control-plane");
            environment.put("FOREBAY_MANIFEST_BUCKET", "forebay-manifests");
            environment.put("FOREBAY_WORK_DIRECTORY", "/work");
            environment.put("FOREBAY_TEMPORAL_TARGET", temporal.target());
            environment.put("QUARKUS_DATASOURCE_JDBC_URL", postgres.jdbcUrl());
            environment.put("QUARKUS_DATASOURCE_USERNAME", postgres.user());
            environment.put("QUARKUS_DATASOURCE_PASSWORD", postgres.password());
            try (ServerProcess process =
                    service.start("control-plane", own, List.of(), environment, ready(port))) {
                assertThat(owner(process.pid())).isEqualTo(65532);
            }
        }
    }

    @Test
    void theServiceImageRunsAnAgent() throws Exception {
        int port = Ports.free();
        Map<String, String> environment = common(port);
        environment.put("FOREBAY_ROLE", "agent");
        environment.put("JDK_JAVA_OPTIONS", "-XX:AOTCache=/opt/forebay/agent.aot");
        environment.put("FOREBAY_REGION", "us-east-1");
        environment.put("FOREBAY_ETCD_ENDPOINTS", etcd.endpoint().toString());
        environment.put("FOREBAY_MANIFEST_BUCKET", "forebay-manifests");
        environment.put("FOREBAY_WORK_DIRECTORY", "/work");
        environment.put("FOREBAY_TEMPORAL_TARGET", temporal.target());
        try (ServerProcess process =
                service.start("agent", own, List.of(), environment, ready(port))) {
            assertThat(owner(process.pid())).isEqualTo(65532);
        }
    }

    @Test
    void theServiceImageHasTheCleanUpProgram() throws Exception {
        assertThat(
                        service.output(
                                List.of("clean-up", "--nonsense"),
                                Map.of("JAVA_TOOL_OPTIONS", ONLY_WITH_CACHE + LITTLE_MEMORY)))
                .contains("clean-up: argument '--nonsense' must be");
    }

    /** The agent needs keytool for its webhook's certificate. */
    @Test
    void theServiceImageHasKeytool() throws Exception {
        assertThat(
                        service.outputOf(
                                List.of(
                                        JavaRuntime.PLACE + "/bin/keytool",
                                        "-genkeypair",
                                        "-alias",
                                        "webhook",
                                        "-keyalg",
                                        "EC",
                                        "-groupname",
                                        "secp256r1",
                                        "-dname",
                                        "CN=forebay",
                                        "-storetype",
                                        "PKCS12",
                                        "-keystore",
                                        "/tmp/store.p12",
                                        "-storepass",
                                        "of-a-test"),
                                Map.of()))
                .doesNotContain("rror");
        assertThat(service.root().resolve("tmp/store.p12")).isNotEmptyFile();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void theFuseImageMountsWithEachTransport(String transport) throws Exception {
        int port = Ports.free();
        Files.createDirectories(fuse.root().resolve("mnt/" + transport));
        Map<String, String> environment = new HashMap<>();
        environment.put("JAVA_TOOL_OPTIONS", "-Xmx256m " + ONLY_WITH_CACHE);
        environment.put("FOREBAY_REGION", "us-east-1");
        environment.put("FOREBAY_ETCD_ENDPOINTS", etcd.endpoint().toString());
        environment.put("FOREBAY_FUSE_MOUNTPOINT", "/mnt/" + transport);
        environment.put("FOREBAY_FUSE_DIRECTORY", "/work/" + transport);
        environment.put("FOREBAY_FUSE_TRANSPORT", transport);
        environment.put("FOREBAY_FUSE_PACK_CACHE", "64M");
        environment.put("FOREBAY_FUSE_METRICS_PORT", Integer.toString(port));
        Readiness ready = Readiness.ok(URI.create("http://127.0.0.1:" + port + "/health/ready"));
        // Its mount is in a namespace that ends with the process.
        try (ServerProcess process = fuse.start("fuse", own, List.of(), environment, ready)) {
            assertThat(Path.of("/proc/" + process.pid() + "/mountinfo"))
                    .content()
                    .containsPattern("/mnt/" + transport + " .* - fuse\\S* ");
            assertThat(process.isAlive()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"hold, holder", "csi, pod"})
    void theFuseImageHasTheHolderAndTheCsiDriver(String program, String cache) throws Exception {
        Map<String, String> environment =
                Map.of(
                        "JAVA_TOOL_OPTIONS",
                        ONLY_WITH_CACHE,
                        "JDK_JAVA_OPTIONS",
                        "-XX:AOTCache=/opt/forebay/" + cache + ".aot");
        assertThat(fuse.output(List.of(program, "--help"), environment))
                .contains("forebay-fuse " + program);
    }

    private static UnpackedImage unpacked(String name) throws Exception {
        try (Stream<Path> files = Files.list(IMAGES)) {
            Path archive =
                    files.filter(file -> file.getFileName().toString().endsWith(".tar"))
                            .filter(
                                    file ->
                                            file.getFileName()
                                                    .toString()
                                                    .contains("-" + name + "-"))
                            .findFirst()
                            .orElseThrow(() -> new IOException("no image: run 'make images'"));
            return UnpackedImage.of(
                    archive.toAbsolutePath().normalize(),
                    Files.createDirectory(directory.resolve(name)));
        }
    }

    private static UnpackedImage image(String name) {
        return switch (name) {
            case "forebay-service" -> service;
            case "forebay-worker" -> worker;
            default -> fuse;
        };
    }

    /** Returns the variables that the chart gives to all Quarkus programs. */
    private static Map<String, String> common(int port) {
        Map<String, String> environment = new HashMap<>();
        environment.put("JAVA_TOOL_OPTIONS", "-Xmx384m " + ONLY_WITH_CACHE);
        environment.put("QUARKUS_HTTP_HOST", "127.0.0.1");
        environment.put("QUARKUS_HTTP_PORT", Integer.toString(port));
        environment.put("FOREBAY_LAKE_ENDPOINT", lake.endpoint().toString());
        environment.put("FOREBAY_LAKE_REGION", S3Server.REGION);
        environment.put("FOREBAY_LAKE_PATH_STYLE", "true");
        environment.put("AWS_ACCESS_KEY_ID", lake.accessKey());
        environment.put("AWS_SECRET_ACCESS_KEY", lake.secretKey());
        return environment;
    }

    private static Readiness ready(int port) {
        return Readiness.ok(URI.create("http://127.0.0.1:" + port + "/q/health/ready"));
    }

    private static int owner(long pid) throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/" + pid), "unix:uid");
    }
}
