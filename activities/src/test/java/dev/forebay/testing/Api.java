package dev.forebay.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A client of the application. */
public final class Api {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http;
    private final URI base;

    public Api(URI base) {
        this(base, HttpClient.newBuilder());
    }

    /** Connects to an application with TLS. */
    public Api(URI base, SSLContext trusting) {
        this(base, HttpClient.newBuilder().sslContext(trusting));
    }

    private Api(URI base, HttpClient.Builder client) {
        this.base = base;
        this.http = client.version(HttpClient.Version.HTTP_1_1).build();
    }

    /** An answer. Its {@code body} is a missing node if it is not JSON. */
    public record Answer(int status, JsonNode body, HttpResponse<String> raw) {

        public String text(String field) {
            return body.path(field).asText();
        }
    }

    public Answer get(String path) {
        return send("GET", path, null);
    }

    public Answer post(String path, String body, String... headers) {
        return send("POST", path, body, headers);
    }

    public Answer put(String path, String body) {
        return send("PUT", path, body);
    }

    public Answer delete(String path) {
        return send("DELETE", path, null);
    }

    /** Sends any request. The body is JSON unless a header says otherwise. */
    public Answer send(String method, String path, @Nullable String body, String... headers) {
        return stream(
                method,
                path,
                body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body),
                headers);
    }

    /** Sends a JSON body from any publisher. */
    public Answer stream(String method, String path, BodyPublisher body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path))
                        .timeout(Duration.ofSeconds(60))
                        .method(method, body);
        if (body.contentLength() != 0) {
            request.setHeader("Content-Type", "application/json");
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        try {
            HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
            return new Answer(response.statusCode(), parse(response.body()), response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            return JSON.missingNode();
        }
    }
}
