package dev.forebay.service.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.BearerToken;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A client of the control plane's REST API. Calls block. Safe for use by many threads.
 *
 * <p>Every call throws {@link ForebayException} with the code and the detail of the refusal, or
 * {@code UNAVAILABLE} if there is no answer.
 */
public final class ForebayApi implements AutoCloseable {

    private static final int FIRST_ERROR = 400;
    private static final int NOT_FOUND = 404;

    private final HttpClient http;
    private final String base;
    private final String setting;
    private final Optional<BearerToken> token;
    private final Duration timeout;
    private final ObjectReader json;
    private final ObjectWriter written;

    /**
     * @param address without {@code /api/v1}
     * @param setting the setting that has the address, for messages
     * @param clients creates the HTTP client, and has the token
     * @param timeout of a request
     * @param json writes names in the form of the API
     */
    public ForebayApi(
            URI address,
            String setting,
            ServiceClients clients,
            Duration timeout,
            ObjectMapper json) {
        this.http = clients.within(timeout);
        this.base = address.toString().replaceAll("/+$", "") + "/api/v1";
        this.setting = setting;
        this.token = clients.token();
        this.timeout = timeout;
        // The control plane may have a later version than this process.
        this.json = json.reader().without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        this.written = json.writer();
    }

    /**
     * Encodes a part of a path or the value of a parameter. Any text is allowed, as the API checks
     * it.
     */
    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /**
     * A request.
     *
     * @param path below {@code /api/v1}, encoded for a URI
     */
    public record Request(
            String method, String path, @Nullable Object body, Map<String, String> headers) {

        public static Request of(String method, String path) {
            return new Request(method, path, null, Map.of());
        }

        public static Request of(String method, String path, Object body) {
            return new Request(method, path, body, Map.of());
        }
    }

    /** An answer with any status. */
    public record Reply(int status, String body) {}

    /** Returns the object at a path. Empty if it does not exist. */
    public <T> Optional<T> find(String path, Class<T> type) {
        Request request = Request.of("GET", path);
        Reply reply = exchange(request);
        if (reply.status() == NOT_FOUND) {
            ForebayException refused = refusal(request, reply);
            // A proxy may answer 404 without the code, which says nothing about the object.
            if (refused.code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw refused;
        }
        requireSuccess(request, reply);
        try {
            return Optional.of(json.forType(type).readValue(reply.body()));
        } catch (JsonProcessingException e) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "%s: cannot read its answer: %s".formatted(at(path), e.getOriginalMessage()),
                    e);
        }
    }

    /** Sends a request and ignores the content of its answer. Throws if it is refused. */
    public void send(Request request) {
        requireSuccess(request, exchange(request));
    }

    /** As {@link #send}, but ignores refusals with these codes. */
    public void sendUnless(Request request, ErrorCode... fine) {
        try {
            send(request);
        } catch (ForebayException refused) {
            if (!List.of(fine).contains(refused.code())) {
                throw refused;
            }
        }
    }

    /**
     * Sends a request and returns its answer of any status.
     *
     * @throws ForebayException {@code UNAVAILABLE} if there is no answer
     */
    public Reply exchange(Request request) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(at(request.path())).timeout(timeout);
        token.ifPresent(secret -> builder.header(BearerToken.HEADER, secret.headerValue()));
        request.headers().forEach(builder::header);
        if (request.body() == null) {
            builder.method(request.method(), BodyPublishers.noBody());
        } else {
            builder.header("Content-Type", "application/json")
                    .method(request.method(), BodyPublishers.ofString(text(request.body())));
        }
        try {
            HttpResponse<String> answer = AnswerTimeout.to(builder.build(), http);
            return new Reply(answer.statusCode(), answer.body());
        } catch (IOException e) {
            throw unavailable(request, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable(request, e);
        }
    }

    private URI at(String path) {
        return URI.create(base + path);
    }

    private String text(Object body) {
        try {
            return written.writeValueAsString(body);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a request is always JSON", e);
        }
    }

    private ForebayException unavailable(Request request, Exception cause) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "the control plane (%s) does not answer: %s %s: %s"
                        .formatted(setting, request.method(), at(request.path()), cause),
                cause);
    }

    private void requireSuccess(Request request, Reply reply) {
        if (reply.status() >= FIRST_ERROR) {
            throw refusal(request, reply);
        }
    }

    /** The fields of a problem that this client reads. */
    private record Problem(@Nullable String code, @Nullable String detail) {}

    private ForebayException refusal(Request request, Reply reply) {
        Problem problem;
        try {
            problem = json.forType(Problem.class).readValue(reply.body());
        } catch (JsonProcessingException e) {
            problem = new Problem(null, null);
        }
        String code = problem.code();
        String detail = problem.detail();
        return new ForebayException(
                Arrays.stream(ErrorCode.values())
                        .filter(it -> it.name().equals(code))
                        .findFirst()
                        // A proxy, or a later version, may answer with an unknown code.
                        .orElse(ErrorCode.UNAVAILABLE),
                detail != null
                        ? detail
                        : "%s answered with status %d"
                                .formatted(at(request.path()), reply.status()));
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
