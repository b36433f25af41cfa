package dev.forebay.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Reads server-sent events by the WHATWG's HTML standard. Not thread-safe. */
public final class EventStream implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final HttpResponse<InputStream> response;
    private final BufferedReader lines;

    /** Sends the request and waits for the headers of the answer. */
    public EventStream(URI uri, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri).header("Accept", "text/event-stream");
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        try {
            response = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    /** One event. */
    public record Event(String name, String id, JsonNode data) {}

    public int status() {
        return response.statusCode();
    }

    public String contentType() {
        return response.headers().firstValue("Content-Type").orElse("");
    }

    /** Returns the next event. Empty when the server has ended the stream. */
    public Optional<Event> next() {
        try {
            Map<String, String> fields = new HashMap<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isEmpty() && fields.containsKey("data")) {
                    return Optional.of(
                            new Event(
                                    fields.getOrDefault("event", "message"),
                                    fields.getOrDefault("id", ""),
                                    JSON.readTree(fields.get("data"))));
                }
                int colon = line.indexOf(':');
                if (colon > 0) {
                    fields.put(line.substring(0, colon), line.substring(colon + 1).stripLeading());
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            lines.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            http.shutdownNow();
        }
    }
}
