package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.AWAY;
import static dev.forebay.control.TestControlPlane.REGION;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.model.DatasetVersion;
import dev.forebay.testing.Api;
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

/** Pins of all versions, on a real PostgreSQL and Temporal. */
class PinsIT {

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @Test
    void pagesFollowEachOtherByVersionRegionAndId() throws SQLException {
        String name = platform.dataset(3600);
        List<String> all =
                List.of(
                        "v1/" + REGION + "/a",
                        "v1/" + REGION + "/b",
                        "v1/" + AWAY + "/a",
                        // Before the others, if names were compared with the rest.
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

    /** However many pins it has, of which the catalogue knows none. */
    @Test
    void aWorkflowThatDoesNotAnswerIsAskedForItsPinsOnce() {
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

            // Each question takes 2 s.
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(Duration.ofSeconds(15));
            assertThat(leaked.body().get("items")).as("in doubt it knows them").isEmpty();
        } finally {
            platform.gateway.setPins("{\"pins\":[]}");
            stubs.shutdownNow();
        }
    }

    /** The pins of a dataset, in pages of one. */
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
}
