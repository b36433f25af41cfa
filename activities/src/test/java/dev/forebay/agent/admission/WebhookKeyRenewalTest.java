package dev.forebay.agent.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.agent.jobs.WebhookKey;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates that are really created, shown and verified. */
class WebhookKeyRenewalTest {

    private static final String NAME = "127.0.0.1";
    private static final Duration LIFE = Duration.ofDays(90);

    @TempDir Path directory;

    private final Vertx vertx = Vertx.vertx();
    private final AdmissionServer server =
            new AdmissionServer(
                    vertx,
                    NAME,
                    0,
                    4L << 20,
                    new PodChange(TrainingPod.ROOT, Optional.empty(), Map.of(), Optional.empty()));
    private final FakeRegistration registration = new FakeRegistration();
    private Instant now = Instant.now();
    private int made;

    @AfterEach
    void close() {
        server.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private WebhookKeyRenewal agent(AdmissionServer server) {
        return new WebhookKeyRenewal(registration, this::make, server, NAME, () -> now);
    }

    private WebhookKeyGenerator.GeneratedKey make() {
        try {
            return WebhookKeyGenerator.make(
                    Files.createDirectory(directory.resolve("" + made++)), NAME, LIFE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String kept() {
        return registration.key().map(WebhookKey::certificate).orElseThrow();
    }

    @Test
    void theFirstAgentCreatesACertificateThatTheApiServerTrusts() throws Exception {
        WebhookKeyRenewal agent = agent(server);
        assertThat(agent.secondsLeft()).isNaN();
        agent.check();
        assertThat(agent.secondsLeft())
                .isCloseTo((double) LIFE.toSeconds(), Offset.offset(7_200.0));

        HttpResponse<String> answer = ReviewCall.ask(server, registration.trusted);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(TrainingPod.json(answer.body()).at("/response/patchType").asText())
                .isEqualTo("JSONPatch");
        assertThat(made).isEqualTo(1);
    }

    @Test
    void otherAgentsUseTheSameCertificate() throws Exception {
        agent(server).check();
        String first = kept();
        try (AdmissionServer second =
                new AdmissionServer(
                        vertx,
                        NAME,
                        0,
                        4L << 20,
                        new PodChange(
                                TrainingPod.ROOT, Optional.empty(), Map.of(), Optional.empty()))) {
            agent(second).check();

            assertThat(ReviewCall.ask(second, first).statusCode()).isEqualTo(200);
        }
        assertThat(made).isEqualTo(1);
    }

    @Test
    void theAgentRenewsItsCertificateEarlyAndUsesItOnceItIsTrusted() throws Exception {
        WebhookKeyRenewal keeper = agent(server);
        keeper.check();
        String first = kept();
        now = now.plus(Duration.ofDays(59));
        keeper.check();
        assertThat(kept()).isEqualTo(first);

        now = now.plus(Duration.ofDays(2));
        keeper.check();
        String second = kept();
        assertThat(second).isNotEqualTo(first);
        assertThat(registration.trusted).contains(first, second);
        assertThat(ReviewCall.ask(server, first).statusCode())
                .as("the server uses the old certificate")
                .isEqualTo(200);

        now = Instant.now(); // after the creation of the second certificate
        keeper.check();
        assertThat(ReviewCall.ask(server, second).statusCode())
                .as("the server uses the new certificate")
                .isEqualTo(200);
        assertThatExceptionOfType(SSLHandshakeException.class)
                .isThrownBy(() -> ReviewCall.ask(server, first));
    }

    @Test
    void theFirstOfTwoConcurrentCertificatesWins() {
        WebhookKeyGenerator.GeneratedKey other = make();
        WebhookKey quicker = new WebhookKey(other.certificate(), other.key(), other.certificate());
        registration.anotherIsQuicker(quicker);
        WebhookKeyRenewal keeper = agent(server);

        keeper.check();
        assertThat(server.port()).as("no certificate yet").isEmpty();

        keeper.check();
        assertThat(registration.key()).contains(quicker);
        assertThat(registration.trusted).isEqualTo(quicker.authorities());
        assertThat(server.port()).isPresent();
    }

    @Test
    void theAgentReplacesAnUnreadableCertificate() {
        WebhookKey damaged = new WebhookKey("nonsense", "nonsense", "nonsense");
        assertThat(registration.keep(Optional.empty(), damaged)).isTrue();

        agent(server).check();

        assertThat(kept()).startsWith("-----BEGIN CERTIFICATE-----");
        assertThat(registration.trusted).doesNotContain("nonsense");
    }

    @Test
    void aKeyIsNotPrinted() {
        assertThat(new WebhookKey("certificate", "secret", "").toString()).doesNotContain("secret");
    }
}
