package dev.forebay.worker;

import dev.forebay.devstack.fault.NameServer;
import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.LiveFiles;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.stack.Repository;
import dev.forebay.model.PackId;
import dev.forebay.placement.WorkerNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The packaged worker as a separate process. */
final class WorkerProcess extends OneProcessServer {

    private static final HttpClient HTTP =
            TestProtocol.trust(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1))
                    .build();

    private final URI address;
    private final Path directory;

    private WorkerProcess(ServerProcess process, URI address, Path directory) {
        super(process);
        this.address = address;
        this.directory = directory;
    }

    static WorkerProcess start(
            TestRegion region, Path directory, String name, String... properties) {
        return start(TestProtocol.PLAIN, region, directory, name, properties);
    }

    static WorkerProcess start(
            TestProtocol wire,
            TestRegion region,
            Path directory,
            String name,
            String... properties) {
        return start(wire, List.of(), Optional.empty(), region, directory, name, properties);
    }

    /**
     * Starts a worker that resolves host names through this name server only.
     *
     * @param host the worker's host name in the region
     */
    static WorkerProcess start(
            NameServer names,
            String host,
            TestRegion region,
            Path directory,
            String name,
            String... properties) {
        return start(
                TestProtocol.PLAIN,
                names.askedBy(),
                Optional.of(host),
                region,
                directory,
                name,
                properties);
    }

    private static WorkerProcess start(
            TestProtocol wire,
            List<String> prefix,
            Optional<String> host,
            TestRegion region,
            Path directory,
            String name,
            String... properties) {
        URI address = URI.create(wire.scheme() + "://127.0.0.1:" + Ports.free());
        JavaCommand command =
                Repository.current()
                        .command(Program.WORKER)
                        .options("-Xmx256m")
                        .options("-Dquarkus.http.port=" + address.getPort())
                        .options("-Dforebay.region=" + TestRegion.NAME)
                        .options("-Dforebay.etcd.endpoints=" + region.etcd.endpoint())
                        .options("-Dforebay.lake.endpoint=" + region.s3.endpoint())
                        .options("-Dforebay.lake.path-style=true")
                        .options("-Dforebay.worker.directory=" + directory.resolve("store"))
                        .options("-Dforebay.worker.capacity=1G")
                        // On a busy machine a peer must not seem dead: the worker would fetch the
                        // peer's chunks from the lake again.
                        .options("-Dforebay.worker.peers.first-byte=8s")
                        .options("-Dforebay.worker.peers.timeout=8s");
        if (wire == TestProtocol.PLAIN) {
            command.withoutSecondCompiler();
        }
        wire.properties().forEach(property -> command.options("-D" + property));
        host.ifPresent(
                known ->
                        command.options(
                                "-Dforebay.worker.advertised-address=http://%s:%d"
                                        .formatted(known, address.getPort())));
        for (String property : properties) {
            command.options("-D" + property);
        }
        List<String> prefixed = new ArrayList<>(prefix);
        prefixed.addAll(command.build());
        Launch launch =
                Launch.of(
                        name,
                        directory,
                        prefixed,
                        Map.of(
                                "AWS_ACCESS_KEY_ID", region.s3.accessKey(),
                                "AWS_SECRET_ACCESS_KEY", region.s3.secretKey()),
                        wire.ready(address),
                        Launch.Lifetime.THIS_JVM);
        return new WorkerProcess(ServerProcess.start(launch), address, directory);
    }

    Path store() {
        return directory.resolve("store");
    }

    URI address() {
        return address;
    }

    /** Returns the worker as a client of the region knows it. */
    WorkerNode node() {
        return new WorkerNode("under-test", address, 1 << 30);
    }

    HttpResponse<byte[]> get(String path, String... headers) throws Exception {
        return send("GET", path, headers);
    }

    HttpResponse<byte[]> send(String method, String path, String... headers) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(address.resolve(path))
                        .timeout(Duration.ofSeconds(60))
                        .method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    /**
     * Returns the value of the first metric whose line starts with this text, or 0 if there is
     * none.
     */
    double metric(String start) throws Exception {
        String text = new String(get("/q/metrics").body(), StandardCharsets.UTF_8);
        return text.lines()
                .filter(line -> line.startsWith(start))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .findFirst()
                .orElse(0);
    }

    /** Returns the resident memory of the process. */
    long residentBytes() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/" + pid() + "/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Returns all chunk files in the store, possibly including files that are being removed. */
    List<Path> chunkFiles() throws IOException {
        return LiveFiles.below(store().resolve("chunks"));
    }

    /** Returns the chunk files of one pack. */
    List<Path> chunkFiles(PackId pack) throws IOException {
        String directory = "/" + pack.digest().hex() + "/";
        return chunkFiles().stream().filter(file -> file.toString().contains(directory)).toList();
    }
}
