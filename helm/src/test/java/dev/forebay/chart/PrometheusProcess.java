package dev.forebay.chart;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.Readiness;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.tool.Toolbox;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A real Prometheus that scrapes and evaluates the alerts every second. */
final class PrometheusProcess implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ServerProcess process;
    private final URI address;

    /**
     * A scrape target.
     *
     * @param labels as YAML
     */
    record Target(URI address, String path, String labels) {}

    private PrometheusProcess(ServerProcess process, URI address) {
        this.process = process;
        this.address = address;
    }

    /**
     * @param token sent to all targets
     */
    static PrometheusProcess start(Path directory, Path rules, String token, List<Target> targets)
            throws IOException {
        Files.createDirectories(directory);
        Path secret = Files.writeString(directory.resolve("token"), token);
        StringBuilder config =
                new StringBuilder(
                        """
                        global: {scrape_interval: 1s, evaluation_interval: 1s}
                        rule_files: ["%s"]
                        scrape_configs:
                        """
                                .formatted(rules.toAbsolutePath()));
        for (int i = 0; i < targets.size(); i++) {
            Target target = targets.get(i);
            config.append(
                    """
                      - job_name: job-%d
                        metrics_path: %s
                        authorization: {credentials_file: "%s"}
                        static_configs: [{targets: ["%s"], labels: %s}]
                    """
                            .formatted(
                                    i,
                                    target.path(),
                                    secret.toAbsolutePath(),
                                    target.address().getAuthority(),
                                    target.labels()));
        }
        Path file = Files.writeString(directory.resolve("prometheus.yaml"), config);
        URI address = URI.create("http://127.0.0.1:" + Ports.free());
        List<String> command =
                List.of(
                        Toolbox.ofThisMachine().prometheus().toString(),
                        "--config.file=" + file.toAbsolutePath(),
                        "--storage.tsdb.path=" + directory.resolve("data").toAbsolutePath(),
                        "--web.listen-address=" + address.getAuthority(),
                        "--log.level=warn");
        return new PrometheusProcess(
                ServerProcess.start(
                        Launch.of(
                                "prometheus",
                                directory.toAbsolutePath(),
                                command,
                                Map.of(),
                                Readiness.ok(address.resolve("/-/ready")),
                                Launch.Lifetime.THIS_JVM)),
                address);
    }

    /** Returns the result of a query. Fails if Prometheus does not understand it. */
    JsonNode query(String expression) throws IOException {
        return get("/api/v1/query?query=" + URLEncoder.encode(expression, UTF_8)).get("result");
    }

    /** Returns the names of all metrics of all targets. */
    Set<String> metrics() throws IOException {
        Set<String> names = new TreeSet<>();
        get("/api/v1/label/__name__/values").forEach(name -> names.add(name.asText()));
        return names;
    }

    /** Returns the loaded rules, as {@code /api/v1/rules} shows them. */
    JsonNode rules() throws IOException {
        return get("/api/v1/rules").at("/groups/0/rules");
    }

    private JsonNode get(String path) throws IOException {
        if (!(address.resolve(path).toURL().openConnection() instanceof HttpURLConnection http)) {
            throw new IllegalStateException(address + " is not http");
        }
        try (var body =
                http.getResponseCode() == HttpURLConnection.HTTP_OK
                        ? http.getInputStream()
                        : http.getErrorStream()) {
            JsonNode answer = JSON.readTree(body);
            if (!answer.path("status").asText().equals("success")) {
                throw new AssertionError("%s: %s".formatted(path, answer));
            }
            return answer.get("data");
        } finally {
            http.disconnect();
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
