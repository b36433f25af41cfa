package dev.forebay.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** A client of an agent's gateway, as the control plane uses it to query etcd and workers. */
final class RegionGateway {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final URI agent;

    RegionGateway(URI agent) {
        this.agent = agent;
    }

    /** Returns the pins in the region's etcd. */
    JsonNode pins() throws IOException, InterruptedException {
        return get("/v1/pins").get("pins");
    }

    /** Returns the usage by version of the region's workers, and its capacity. */
    JsonNode usage() throws IOException, InterruptedException {
        return get("/v1/usage");
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(agent.resolve(path)).timeout(TIMEOUT).GET().build();
        HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(
                    "%s: HTTP %d %s".formatted(path, answer.statusCode(), answer.body()));
        }
        return JSON.readTree(answer.body());
    }
}
