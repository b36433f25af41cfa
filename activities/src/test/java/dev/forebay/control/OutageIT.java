package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import org.junit.jupiter.api.Test;

/** What the control plane promises when it, Temporal or PostgreSQL is away. */
class OutageIT {

    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @Test
    void anAcceptedRequestSurvivesTheDeathOfTheControlPlane() {
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
    void aRequestWhoseWorkflowWasTerminatedIsTakenUpByTheNext() {
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
    void whatATerminatedWorkflowLeftBehindIsStillEvicted() {
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
    void withoutTemporalARequestMayBeSentAgain() {
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

    @Test
    void withoutItsDatabaseItSaysSo() {
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
