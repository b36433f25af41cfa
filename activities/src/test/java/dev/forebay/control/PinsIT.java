package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.AWAY;
import static dev.forebay.control.TestControlPlane.REGION;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.testing.Api;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
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
