package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.AWAY;
import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.model.DatasetVersion;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import dev.forebay.workflows.WorkflowIds;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Lists of pins across versions, on a real PostgreSQL and Temporal. */
class PinsIT {

    private static final long LONG = 3600;
    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @Test
    void pagesOfPinsAreOrderedByVersionRegionAndId() throws SQLException {
        String name = platform.dataset(3600);
        List<String> all =
                List.of(
                        "v1/" + REGION + "/a",
                        "v1/" + REGION + "/b",
                        "v1/" + AWAY + "/a",
                        // Would come first if names were compared together with the region.
                        "v1-later/" + REGION + "/a",
                        "v1-later/" + AWAY + "/c");
        try (Connection catalogue = platform.database();
                Statement statement = catalogue.createStatement()) {
            for (String version : List.of("v1", "v1-later")) {
                statement.executeUpdate(
                        """
                        insert into version (id, dataset, ttl_seconds, created_at)
                        values ('team/%1$s@%2$s', 'team/%1$s', 60, now())"""
                                .formatted(name, version));
            }
            for (String pin : all) {
                statement.executeUpdate(
                        """
                        insert into pin (version, region, id, holder, reason, expires_at)
                        select 'team/%s@' || p[1], p[2], p[3], 'me', '', now() + interval '1 hour'
                        from string_to_array('%s', '/') p"""
                                .formatted(name, pin));
            }

            assertThat(paged(name, "")).isEqualTo(all);
            assertThat(paged(name, "region=" + AWAY + "&"))
                    .containsExactly("v1/" + AWAY + "/a", "v1-later/" + AWAY + "/c");

            statement.executeUpdate("delete from pin where version like 'team/" + name + "@%'");
        }
    }

    /** Asks once, although the version has many pins that the catalogue does not know. */
    @Test
    void theLeakCheckQueriesASilentWorkflowOnce() {
        String name = platform.dataset(3600);
        WorkflowServiceStubs stubs = platform.temporalStubs();
        try {
            WorkflowClient.newInstance(stubs)
                    .newUntypedWorkflowStub(
                            "Nothing",
                            WorkflowOptions.newBuilder()
                                    .setWorkflowId(
                                            WorkflowIds.version(
                                                    DatasetVersion.of("team", name, "v1")))
                                    .setTaskQueue("nobody-works-here")
                                    .setWorkflowExecutionTimeout(Duration.ofMinutes(1))
                                    .build())
                    .start();
            platform.gateway.setPins(
                    IntStream.range(0, 20)
                            .mapToObj(
                                    i ->
                                            """
                                            {"version":{"dataset":{"namespace":"team","name":"%s"},"version":"v1"},
                                            "id":"p%d","holder":"me","reason":"","lease_seconds":600,
                                            "remaining_seconds":500,"job":null}"""
                                                    .formatted(name, i))
                            .collect(Collectors.joining(",", "{\"pins\":[", "]}")));
            long began = System.nanoTime();

            Api.Answer leaked = api.get("/pins/leaked?region=" + REGION);

            // Each query takes 2 s.
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(Duration.ofSeconds(15));
            assertThat(leaked.body().get("items"))
                    .as("pins of a silent workflow are not leaked")
                    .isEmpty();
        } finally {
            platform.gateway.setPins("{\"pins\":[]}");
            stubs.shutdownNow();
        }
    }

    /** Returns the pins of a dataset, in pages of one. */
    private List<String> paged(String dataset, String query) {
        List<String> found = new ArrayList<>();
        JsonNode page = page(query, "");
        while (!page.get("next").isNull()) {
            JsonNode pin = page.at("/items/0");
            if (pin.get("dataset").asText().equals("team/" + dataset)) {
                found.add(
                        "%s/%s/%s"
                                .formatted(
                                        pin.get("version").asText(),
                                        pin.get("region").asText(),
                                        pin.get("id").asText()));
            }
            page = page(query, page.get("next").asText());
        }
        return found;
    }

    private JsonNode page(String query, String after) {
        Api.Answer answer = api.get("/pins?" + query + "limit=1&after=" + after);
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void aVersionCanBeEvictedOnlyAfterItsPinIsReleased() {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        Api.Answer pin =
                api.post(
                        v + "/pins",
                        "{\"region\":\"%s\",\"id\":\"p\",\"holder\":\"me\",\"lease_seconds\":600}"
                                .formatted(REGION));
        assertThat(pin.status()).as(pin.raw().body()).isEqualTo(201);
        assertThat(platform.region.holds(DatasetVersion.of("team", name, "v1"), "p")).isTrue();

        Api.Answer others =
                api.post(
                        v + "/pins",
                        "{\"region\":\"%s\",\"id\":\"p\",\"holder\":\"they\",\"lease_seconds\":600}"
                                .formatted(REGION));
        assertThat(others.status()).as(others.raw().body()).isEqualTo(409);
        assertThat(others.text("code")).isEqualTo("ALREADY_EXISTS");
        assertThat(api.get(v + "/pins").body().at("/items/0/holder").asText()).isEqualTo("me");

        Api.Answer refused = api.post(v + "/evict", IN);
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.text("code")).isEqualTo("PINNED");

        assertThat(api.delete(v + "/pins/p?region=" + REGION).status()).isEqualTo(204);
        assertThat(api.delete(v + "/pins/p?region=" + REGION).status()).isEqualTo(204);
        Api.Answer evicted = api.post(v + "/evict", IN);
        assertThat(evicted.status()).as(evicted.raw().body()).isEqualTo(200);
        assertThat(evicted.body().at("/regions/0/state").asText()).isEqualTo("ABSENT");
    }

    @Test
    void aPinNamesTheJobThatHoldsIt() {
        String v = version(platform.dataset(LONG), "v1");
        String job = "3f2b8a44-5d0c-4b0e-9a53-0c1d2e3f4a5b";
        String pin = "\"holder\":\"me\",\"lease_seconds\":600,\"job\":\"" + job + "\"";
        Api.Answer ensured =
                api.post(
                        v + "/ensure?wait_seconds=30",
                        IN.replace("}", ",\"pin\":{" + pin + ",\"id\":\"alive-a\"}}"));
        Api.Answer taken = api.post(v + "/pins", IN.replace("}", ",\"id\":\"b\"," + pin + "}"));

        assertThat(ensured.body().at("/receipt/pin/job").asText()).isEqualTo(job);
        assertThat(taken.text("job")).isEqualTo(job);
        Await.until(
                "the catalogue knows both",
                () ->
                        api.get(v.substring(0, v.lastIndexOf('/')))
                                .body()
                                .at("/items/0/pins")
                                .findValuesAsText("job")
                                .equals(List.of(job, job)));
        api.delete(v + "/pins/alive-a?region=" + REGION);
        api.delete(v + "/pins/b?region=" + REGION);
    }

    /** "Leaked pins". */
    @Test
    void leakedPinsAreListedWithTheReason() {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        for (String id : List.of("kept", "left", "fixed")) {
            api.post(
                    v + "/pins",
                    "{\"region\":\"%s\",\"id\":\"%s\",\"holder\":\"me\",\"lease_seconds\":600}"
                            .formatted(REGION, id));
        }
        platform.gateway.setPins(
                "{\"pins\":[%s,%s,%s,%s]}"
                        .formatted(
                                held(name, "kept", 400, true),
                                held(name, "left", 200, true),
                                held(name, "fixed", 1, false),
                                held(name, "lost", 600, false)));
        try {
            Api.Answer leaked = api.get("/pins/leaked?region=" + REGION);

            assertThat(leaked.status()).as(leaked.raw().body()).isEqualTo(200);
            assertThat(leaked.body().get("items"))
                    .extracting(pin -> pin.get("id").asText(), pin -> pin.at("/leak/code").asText())
                    .containsExactlyInAnyOrder(
                            tuple("left", "NOT_RENEWED"), tuple("lost", "UNKNOWN"));
            assertThat(leaked.body().at("/items/0/leak/message").asText())
                    .contains("not renewed for 400 s of its lease of 600 s");
            assertThat(api.get("/pins/leaked").text("code")).isEqualTo("UNAVAILABLE");
            assertThat(api.get(v + "/pins").body().at("/items/0/leak").isNull()).isTrue();
        } finally {
            platform.gateway.setPins("{\"pins\":[]}");
            api.delete(v + "/pins/kept?region=" + REGION);
            api.delete(v + "/pins/left?region=" + REGION);
            api.delete(v + "/pins/fixed?region=" + REGION);
        }
    }

    private static String held(String name, String id, int remaining, boolean renewed) {
        return """
                {"version":{"dataset":{"namespace":"team","name":"%s"},"version":"v1"},"id":"%s","holder":"me",
                "reason":"","lease_seconds":600,"remaining_seconds":%d,"job":null,"renewed":%b}"""
                .formatted(name, id, remaining, renewed);
    }

    @Test
    void aPinOfAnAbsentVersionIsRefused() {
        String v = version(platform.dataset(LONG), "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        api.post(v + "/evict", IN);

        Api.Answer pin =
                api.post(
                        v + "/pins",
                        "{\"region\":\"%s\",\"holder\":\"me\",\"lease_seconds\":60}"
                                .formatted(REGION));

        assertThat(pin.status()).isEqualTo(404);
        assertThat(pin.text("detail")).contains("ensure");
    }
}
