package dev.forebay.agent.gate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.agent.jobs.Holder;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.transfer.BearerToken;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.zip.CRC32;

/** The control plane, by its REST API. */
final class ControlPlane implements Platform {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final int NO_CONTENT = 204;
    private static final int NOT_FOUND = 404;

    private final HttpClient http;
    private final String api;
    private final Optional<BearerToken> token;
    private final RegionName region;
    private final Duration lease;
    private final Duration timeout;

    /**
     * @param api its address
     * @param lease of pins, which somebody must renew
     * @param timeout of a request
     */
    ControlPlane(
            URI api,
            Optional<BearerToken> token,
            RegionName region,
            Duration lease,
            Duration timeout) {
        this.api = api.toString().replaceAll("/+$", "");
        this.token = token;
        this.region = region;
        this.lease = lease;
        this.timeout = timeout;
        this.http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(timeout)
                        .executor(Executors.newVirtualThreadPerTaskExecutor())
                        .build();
    }

    @Override
    public Answer ensure(Gang gang) {
        String body = body(gang);
        try {
            HttpResponse<String> answer =
                    send(
                            request(gang, "ensure")
                                    .header("Content-Type", "application/json")
                                    .header("Idempotency-Key", key(gang.holder(), body))
                                    .POST(BodyPublishers.ofString(body)));
            return Answer.of(answer.statusCode(), JSON.readTree(answer.body()));
        } catch (JsonProcessingException e) {
            return new Answer.Refused(
                    Answer.UNAVAILABLE, "the control plane's answer is not understood");
        } catch (IOException e) {
            return new Answer.Refused(
                    Answer.UNAVAILABLE, "the control plane does not answer: " + e);
        }
    }

    @Override
    public boolean takeBack(Gang gang) {
        try {
            int status =
                    send(request(gang, "requests/" + key(gang.holder(), body(gang))).DELETE())
                            .statusCode();
            return status == NO_CONTENT || status == NOT_FOUND;
        } catch (IOException e) {
            return false;
        }
    }

    private HttpRequest.Builder request(Gang gang, String what) {
        DatasetVersion version = gang.wish().version();
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "%s/api/v1/datasets/%s/versions/%s/%s"
                                                .formatted(
                                                        api,
                                                        version.dataset(),
                                                        version.version(),
                                                        what)))
                        .timeout(timeout);
        token.ifPresent(secret -> request.header(BearerToken.HEADER, secret.headerValue()));
        return request;
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
        try {
            return http.send(request.build(), BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private String body(Gang gang) {
        ObjectNode body = JSON.createObjectNode();
        body.put("region", region.value());
        body.put("run_id", gang.holder().toString());
        gang.wish().deadline().ifPresent(it -> body.put("deadline_seconds", it.toSeconds()));
        body.put("on_deadline", gang.wish().runsCold() ? "run_cold" : "fail");
        body.putObject("pin")
                .put("id", gang.holder().pinId())
                .put("holder", gang.holder().toString())
                .put("reason", "training")
                .put("lease_seconds", lease.toSeconds())
                .put("job", gang.holder().uid());
        return body.toString();
    }

    /** A key is of one request only, and what is asked may change: annotations, or the lease. */
    private static String key(Holder holder, String body) {
        CRC32 sum = new CRC32();
        sum.update(body.getBytes(StandardCharsets.UTF_8));
        return "%s-%08x".formatted(holder.pinId(), sum.getValue());
    }
}
