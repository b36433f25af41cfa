package dev.forebay.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** What a region's agent says of its etcd and workers, as it says it to the control plane. */
final class RegionGateway {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final URI agent;

    RegionGateway(URI agent) {
        this.agent = agent;
    }

    /** The pins in the region's etcd. */
    JsonNode pins() throws IOException, InterruptedException {
        return get("/v1/pins").get("pins");
    }

    /** What its workers hold, for whom, and how much room is taken. */
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
