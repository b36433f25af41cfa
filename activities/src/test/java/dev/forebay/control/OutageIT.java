package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.fault.Relay;
import dev.forebay.testing.Api;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The behaviour of the control plane during outages of itself, Temporal or PostgreSQL. */
class OutageIT {

    /** A database call may take 15 s, and be repeated once. */
    private static final Duration IN_TIME = Duration.ofSeconds(40);

    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @Test
    void anAcceptedRequestSurvivesACrashOfTheControlPlane() {
        String v = version(platform.dataset(3600), "v1");
        platform.region.shut();
        try {
            Api.Answer accepted = api.post(v + "/ensure", IN, "Idempotency-Key", "survivor");
            assertThat(accepted.status()).as(accepted.raw().body()).isEqualTo(202);

            platform.process.kill9();
        } finally {
            platform.region.open();
        }
        platform.process.restart();

        Await.until(
                "done", () -> api.get(v + "/requests/survivor?wait_seconds=10").status() == 200);
        assertThat(api.get(v).body().at("/regions/0/state").asText()).isEqualTo("CACHED");
    }

    @Test
    void aNewWorkflowContinuesTheRequestOfATerminatedOne() {
        String name = platform.dataset(3600);
        String v = version(name, "v1");
        platform.region.shut();
        try {
            Api.Answer accepted = api.post(v + "/ensure", IN, "Idempotency-Key", "orphan");
            assertThat(accepted.status()).as(accepted.raw().body()).isEqualTo(202);
            platform.region.terminate("dataset/team/" + name + "@v1");
        } finally {
            platform.region.open();
        }

        Api.Answer answer = api.get(v + "/requests/orphan?wait_seconds=30");
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        assertThat(api.get(v).body().at("/regions/0/state").asText()).isEqualTo("CACHED");
    }

    @Test
    void aVersionCanBeEvictedAfterItsWorkflowIsTerminated() {
        String name = platform.dataset(3600);
        String v = version(name, "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        Await.until(
                "the catalogue knows",
                () -> catalogue(v).at("/regions/0/state").asText().equals("CACHED"));
        platform.region.terminate("dataset/team/" + name + "@v1");

        Api.Answer evicted = api.post(v + "/evict", IN);

        assertThat(evicted.status()).as(evicted.raw().body()).isEqualTo(200);
        Await.until(
                "the catalogue knows",
                () -> catalogue(v).at("/regions/0/state").asText().equals("ABSENT"));
    }

    private JsonNode catalogue(String v) {
        return api.get(v.substring(0, v.lastIndexOf('/'))).body().at("/items/0");
    }

    @Test
    void aRequestDuringATemporalOutageIsRetryable() {
        String v = version(platform.dataset(3600), "v1");
        platform.temporal.pause();
        try {
            Api.Answer answer = api.post(v + "/ensure", IN, "Idempotency-Key", "again");

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text("code")).isEqualTo("UNAVAILABLE");
            assertThat(answer.body().get("retryable").asBoolean()).isTrue();
            assertThat(answer.raw().headers().firstValue("Retry-After")).isPresent();
            assertThat(answer.raw().headers().firstValue("Connection"))
                    .as("it may be sent to another replica")
                    .hasValue("close");
            Api.Answer known = api.get(v);
            assertThat(known.status()).isEqualTo(200);
            assertThat(known.raw().headers().firstValue("Connection")).isEmpty();
        } finally {
            platform.temporal.resume();
        }

        Await.until(
                "done",
                () ->
                        api.post(v + "/ensure?wait_seconds=10", IN, "Idempotency-Key", "again")
                                        .status()
                                == 200);
    }

    /** The network drops all packets: no connection ends, and there are no answers. */
    @Test
    void requestsFailInTimeWhileTheDatabaseDoesNotAnswer() {
        String dataset = "/datasets/team/" + platform.dataset(3600);
        try (Relay relay = Relay.before(platform.postgres.port());
                ApplicationProcess replica = behind(relay);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Api far = new Api(replica.address().resolve("/api/v1"));
            assertThat(far.get(dataset).status()).isEqualTo(200);
            relay.fallSilent();

            String pin = dataset + "/versions/v1/pins/alive-1/renew";
            assertThat(
                            CompletableFuture.supplyAsync(() -> far.post(pin, IN), callers)
                                    // The timeout of the SDK.
                                    .orTimeout(5, SECONDS)
                                    .join()
                                    .status())
                    .isEqualTo(200);

            // More than the pool has connections.
            List<CompletableFuture<Api.Answer>> asked =
                    Stream.generate(
                                    () ->
                                            CompletableFuture.supplyAsync(
                                                    () -> far.get(dataset), callers))
                            .limit(20)
                            .toList();

            for (CompletableFuture<Api.Answer> each : asked) {
                Api.Answer answer = each.orTimeout(IN_TIME.toSeconds(), SECONDS).join();
                assertThat(answer.status()).as(answer.raw().body()).isEqualTo(503);
                assertThat(answer.text("code")).isEqualTo("UNAVAILABLE");
                assertThat(answer.body().get("retryable").asBoolean()).isTrue();
            }
            assertThat(new Api(replica.address()).get("/q/health/live").status()).isEqualTo(200);

            relay.goOn();
            Await.until("it answers again", () -> far.get(dataset).status() == 200);
        }
    }

    private ApplicationProcess behind(Relay relay) {
        String direct = platform.postgres.jdbcUrl();
        return platform.replica(
                "far-from-its-database",
                Map.of(
                        "quarkus.datasource.jdbc.url",
                        direct.replace(":" + platform.postgres.port(), ":" + relay.port())),
                Map.of());
    }

    @Test
    void aRequestReturnsUnavailableDuringADatabaseOutage() {
        String v = version(platform.dataset(3600), "v1");
        platform.postgres.kill9();
        try {
            Api.Answer answer = api.post(v + "/ensure", IN, "Idempotency-Key", "again");

            assertThat(answer.status()).as(answer.raw().body()).isEqualTo(503);
            assertThat(answer.text("code")).isEqualTo("UNAVAILABLE");
        } finally {
            platform.postgres.restart();
        }

        Await.until(
                "done",
                () ->
                        api.post(v + "/ensure?wait_seconds=10", IN, "Idempotency-Key", "again")
                                        .status()
                                == 200);
    }
}
