package dev.forebay.control.regions;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.api.AnswerTimeout;
import dev.forebay.service.api.ServiceClients;
import dev.forebay.service.gateway.PinsReport;
import dev.forebay.service.gateway.RegionReport;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.Renewal;
import dev.forebay.service.gateway.SurveyRequest;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.service.gateway.VerifyReport;
import dev.forebay.service.gateway.VerifyRequest;
import dev.forebay.transfer.AccountPage;
import dev.forebay.transfer.BearerToken;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The client of the agents' gateways. Calls block. Thread-safe. */
@Singleton
class AgentGateway {

    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;

    private final HttpClient http;
    private final ObjectReader json;
    private final ObjectWriter written;
    private final Optional<BearerToken> token;
    private final Duration timeout;
    private final Duration surveyTimeout;

    AgentGateway(ObjectMapper json, ServiceClients clients, ControlPlaneConfig config) {
        // An agent may be of a later release than this process.
        this.json = json.reader().without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        this.written = json.writer();
        this.token = clients.token();
        this.timeout = config.requests().agentTimeout();
        this.surveyTimeout = config.plan().agentTimeout();
        this.http = clients.within(timeout);
    }

    /** Renews a pin. Returns empty if the pin has ended. */
    Optional<Renewal> renew(URI agent, RegionName region, DatasetVersion version, String pinId) {
        HttpRequest.Builder request =
                request(agent, "/v1/pins/%s/%s/renew".formatted(version.path(), pinId))
                        .POST(BodyPublishers.noBody());
        return send(request, region, Renewal.class);
    }

    /** Returns the agent's report on its region. */
    RegionReport report(URI agent, RegionName region) {
        return send(request(agent, "/v1/region").GET(), region, RegionReport.class)
                .orElseThrow(() -> unavailable(region, "another server answered", null));
    }

    /** Returns what the region has of a version, and its capacity for it. */
    RegionSurvey survey(URI agent, RegionName region, SurveyRequest asked) {
        HttpRequest.Builder request =
                request(agent, "/v1/survey")
                        .timeout(surveyTimeout)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json(asked)));
        return send(request, region, RegionSurvey.class)
                .orElseThrow(() -> unavailable(region, "another server answered", null));
    }

    private String json(Object asked) {
        try {
            return written.writeValueAsString(asked);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a request is always JSON", e);
        }
    }

    /** Returns a page of a worker's accounts. */
    AccountPage accounts(URI agent, RegionName region, String worker, int after) {
        return send(
                        request(agent, "/v1/workers/%s/accounts?after=%d".formatted(worker, after))
                                .GET(),
                        region,
                        AccountPage.class)
                .orElseThrow(() -> unavailable(region, "it has no worker " + worker, null));
    }

    /** Lets a worker forget a closed account. */
    void settle(URI agent, RegionName region, String worker, String account, long revision) {
        send(
                request(
                                agent,
                                "/v1/workers/%s/accounts/%s?revision=%d"
                                        .formatted(worker, account, revision))
                        .DELETE(),
                region,
                Object.class);
    }

    /** Returns the contents of the region's chunk stores, by version. */
    UsageReport usage(URI agent, RegionName region) {
        return send(request(agent, "/v1/usage").GET(), region, UsageReport.class)
                .orElseThrow(() -> unavailable(region, "another server answered", null));
    }

    /** Returns the pins in the region's etcd. */
    PinsReport pins(URI agent, RegionName region) {
        return send(request(agent, "/v1/pins").GET(), region, PinsReport.class)
                .orElseThrow(() -> unavailable(region, "another server answered", null));
    }

    /** Downloads a manifest that is mounted in the region. The file must not exist yet. */
    void manifest(URI agent, RegionName region, Digest manifest, Path file) {
        HttpRequest request =
                request(agent, "/v1/manifests/" + manifest).timeout(surveyTimeout).GET().build();
        try {
            HttpResponse<Path> answer =
                    AnswerTimeout.to(
                            request,
                            http,
                            info ->
                                    info.statusCode() == OK
                                            ? BodySubscribers.ofFile(file)
                                            : BodySubscribers.replacing(file));
            if (answer.statusCode() == NOT_FOUND) {
                throw new ForebayException(
                        ErrorCode.NOT_FOUND, "region %s has no copy of it".formatted(region));
            }
            if (answer.statusCode() != OK) {
                throw unavailable(region, "it answered with status " + answer.statusCode(), null);
            }
        } catch (IOException e) {
            throw unavailable(region, e.toString(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable(region, "interrupted", e);
        }
    }

    /** Lets the region's workers compare chunks with their checksums. */
    VerifyReport verify(URI agent, RegionName region, VerifyRequest asked) {
        HttpRequest.Builder request =
                request(agent, "/v1/verify")
                        .timeout(surveyTimeout)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json(asked)));
        return send(request, region, VerifyReport.class)
                .orElseThrow(() -> unavailable(region, "another server answered", null));
    }

    private HttpRequest.Builder request(URI agent, String path) {
        String base = agent.toString();
        String root = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(root + path)).timeout(timeout);
        token.ifPresent(secret -> request.header(BearerToken.HEADER, secret.headerValue()));
        return request;
    }

    private <T> Optional<T> send(HttpRequest.Builder request, RegionName region, Class<T> type) {
        try {
            HttpResponse<String> answer = AnswerTimeout.to(request.build(), http);
            return switch (answer.statusCode()) {
                case OK -> Optional.of(json.forType(type).readValue(answer.body()));
                case NO_CONTENT -> Optional.empty();
                case NOT_FOUND -> {
                    requireFromAgent(answer.body(), region);
                    yield Optional.empty();
                }
                default ->
                        throw unavailable(
                                region, refusal(answer.statusCode(), answer.body()), null);
            };
        } catch (JsonProcessingException e) {
            throw unavailable(region, "cannot read its answer", e);
        } catch (IOException e) {
            throw unavailable(region, e.toString(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable(region, "interrupted", e);
        }
    }

    /**
     * Returns why an agent refuses, with its own message if it sends one. Even a refused token may
     * be retried: processes change their tokens one after the other, and pins must survive that.
     */
    private String refusal(int status, String body) {
        String said = "it answered with status " + status;
        try {
            String detail = json.readTree(body).path("detail").asText();
            said = detail.isEmpty() ? said : said + ": " + detail;
        } catch (JsonProcessingException ofSomethingBetween) {
            // The answer is a page of a proxy and does not help the user.
        }
        return status == UNAUTHORIZED || status == FORBIDDEN
                ? said + " (compare forebay.token-file of both)"
                : said;
    }

    /**
     * Requires that a 404 comes from the agent. A 404 of a proxy in between, such as an ingress
     * that lost its route, must not end a pin.
     */
    private void requireFromAgent(String refusal, RegionName region)
            throws JsonProcessingException {
        JsonNode problem = json.readTree(refusal);
        if (!problem.path("code").asText().equals(ErrorCode.NOT_FOUND.name())) {
            throw unavailable(region, "another server answered with status 404", null);
        }
    }

    private static ForebayException unavailable(
            RegionName region, String why, @Nullable Throwable cause) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "the agent of region %s gave no usable answer: %s. Check it with 'forebay regions', and its address in forebay.regions.%s.agent"
                        .formatted(region, why, region),
                cause);
    }
}
