package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.AWAY;
import static dev.forebay.control.TestControlPlane.LISTED;
import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.model.DatasetVersion;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import dev.forebay.workflows.WorkflowIds;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** "Plans", on real servers with a region in memory. */
class PlanIT {

    private static final long LONG = 3600;
    private static final String IN = "{\"region\":\"" + REGION + "\"}";
    private static final String PLANNED = "{\"regions\":[\"" + REGION + "\"]}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @AfterEach
    void forget() {
        platform.gateway.setSurvey("{}");
        platform.gateway.resetUsage();
    }

    @Test
    void aPlanOfANewVersionListsTheSourceAndChangesNothing() throws SQLException {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        survey(100_000, 0, "null", "null", "null", "");
        Map<String, String> before = rowsOf(name);

        Api.Answer plan = api.post(v + "/plan", PLANNED);

        assertThat(plan.status()).as(plan.raw().body()).isEqualTo(200);
        assertThat(plan.body().get("manifest").isNull()).isTrue();
        JsonNode region = plan.body().at("/regions/0");
        assertThat(region.get("state").asText()).isEqualTo("ABSENT");
        JsonNode needs = region.get("needs");
        assertThat(needs.get("bytes_missing").asLong()).isEqualTo(11);
        assertThat(needs.get("objects_missing").asLong()).isEqualTo(2);
        assertThat(needs.get("lake_requests").asLong()).isEqualTo(2);
        assertThat(needs.get("exact").asBoolean(true)).isFalse();
        assertThat(needs.get("at_least").asBoolean(true)).isFalse();
        assertThat(region.at("/space/admission").asText()).isEqualTo("admitted");
        assertThat(region.at("/space/needed_bytes").asLong()).isEqualTo(2 * 4096);
        for (String unknown : List.of("eta_seconds", "eta_least_seconds", "eta_most_seconds")) {
            assertThat(region.get(unknown).isNull()).as(unknown).isTrue();
        }
        assertThat(platform.gateway.surveyed()).contains("team/" + name + "@v1");
        assertThat(rowsOf(name)).isEqualTo(before);
        assertThat(platform.region.hasWorkflow(workflow(name))).isFalse();
        assertThat(api.get(v).status()).isEqualTo(404);
    }

    @Test
    void aPlanOfALargeSourceIsMarkedAsALowerBound() {
        String name = platform.dataset(LONG);
        for (int i = 0; i < LISTED; i++) {
            platform.put(name + "/more/" + i, "x");
        }
        survey(100_000, 0, "null", "null", "null", "");

        JsonNode needs =
                api.post(version(name, "v1") + "/plan", PLANNED).body().at("/regions/0/needs");

        assertThat(needs.get("objects").asLong()).isEqualTo(LISTED);
        assertThat(needs.get("at_least").asBoolean()).isTrue();
    }

    @Test
    void objectsOutsideTheDatasetCountTowardsTheListingLimit() {
        String name = platform.dataset(LONG);
        for (int i = 0; i < LISTED; i++) {
            platform.put(name + "/more/" + i, "x");
        }
        api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"%s-txt\",\"source\":\"s3://lake/%s/\",\"include\":[\"*.txt\"]}"
                        .formatted(name, name));
        survey(100_000, 0, "null", "null", "null", "");

        JsonNode needs =
                api.post(version(name + "-txt", "v1") + "/plan", PLANNED)
                        .body()
                        .at("/regions/0/needs");

        assertThat(needs.get("objects").asLong()).isEqualTo(1);
        assertThat(needs.get("at_least").asBoolean()).isTrue();
    }

    @Test
    void aPlanCountsOnlyObjectsOfTheDataset() {
        String name = platform.dataset(LONG);
        platform.put(name + "/more/a", "xxxx");
        platform.put(name + "/more/b", "xx");
        platform.put(name + ".keys", name + "/more/b\n");
        survey(100_000, 0, "null", "null", "null", "");

        for (Map.Entry<String, Integer> each :
                Map.of(
                                "\"include\":[\"more/**\"]",
                                6,
                                "\"exclude\":[\"more/**\"]",
                                11,
                                "\"keys\":\"s3://lake/%s.keys\"".formatted(name),
                                2)
                        .entrySet()) {
            String chosen = name + "-" + each.getValue();
            api.post(
                    "/datasets",
                    "{\"namespace\":\"team\",\"name\":\"%s\",\"source\":\"s3://lake/%s/\",%s}"
                            .formatted(chosen, name, each.getKey()));

            Api.Answer plan = api.post(version(chosen, "v1") + "/plan", PLANNED);

            assertThat(plan.body().at("/regions/0/needs/bytes").asInt())
                    .as(plan.raw().body())
                    .isEqualTo(each.getValue());
        }
    }

    @Test
    void aPlanEstimatesTheCostAndDurationOfMissingBytes() {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        survey(
                100_000,
                8_192,
                "0",
                "{\"bytes\":2000000000,\"objects\":1,\"lake_requests\":500,\"exact\":true}",
                "{\"rate\":{\"least\":500000,\"likely\":1000000,\"most\":2000000},\"overhead\":null}",
                "");

        JsonNode plan = api.post(v + "/plan", PLANNED).body();

        assertThat(plan.get("currency").asText()).isEqualTo("EUR");
        assertThat(plan.at("/manifest/objects").asLong()).isEqualTo(2);
        JsonNode region = plan.at("/regions/0");
        assertThat(region.get("state").asText()).isEqualTo("CACHED");
        assertThat(region.at("/needs/exact").asBoolean()).isTrue();
        assertThat(region.at("/sources/0/kind").asText()).isEqualTo("lake");
        assertThat(region.at("/sources/0/used").asBoolean()).isTrue();
        // 2 GB at 0.1, and 500 requests at 0.4 per thousand.
        assertThat(region.at("/sources/0/cost").asDouble()).isEqualTo(0.4);
        // 2 GB, and 500 requests that take as long as 256 KiB each.
        assertThat(region.get("eta_seconds").asLong()).isEqualTo(2_132);
        assertThat(region.get("eta_least_seconds").asLong()).isEqualTo(1_065);
        assertThat(region.get("eta_most_seconds").asLong()).isEqualTo(4_268);
        assertThat(region.get("bytes_per_second").asLong()).isEqualTo(1_000_000);
        assertThat(platform.gateway.surveyed()).contains(plan.at("/manifest/digest").asText());
    }

    @Test
    void aPlanHasNoDurationForARegionThatHasFilledTooLittle() {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        survey(
                100_000,
                8_192,
                "0",
                "{\"bytes\":67108864,\"objects\":8,\"lake_requests\":8,\"exact\":true}",
                "{\"rate\":null,\"overhead\":{\"least\":0.2,\"likely\":0.5,\"most\":0.9}}",
                "");

        JsonNode plan = api.post(v + "/plan", PLANNED).body().at("/regions/0");
        JsonNode place = api.get("/placements?dataset=team/" + name).body().at("/items/0");

        assertThat(plan.get("eta_seconds").isNull()).isTrue();
        assertThat(plan.get("bytes_per_second").isNull()).isTrue();
        assertThat(place.get("eta_seconds").isNull()).isTrue();
        assertThat(place.get("reasons").toString()).contains("is unknown");
    }

    @Test
    void aPlanUsesTheCheapestSourceFirst() throws SQLException {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        isKnownToBeIn(AWAY, name);
        survey(
                100_000,
                0,
                "8192",
                "{\"bytes\":1000000000,\"objects\":1,\"lake_requests\":1,\"exact\":true}",
                "null",
                "");

        JsonNode sources = api.post(v + "/plan", PLANNED).body().at("/regions/0/sources");

        assertThat(sources).hasSize(2);
        assertThat(sources.at("/0/kind").asText()).isEqualTo("on_premises");
        assertThat(sources.at("/0/region").asText()).isEqualTo(AWAY);
        assertThat(sources.at("/0/cost").asDouble()).isEqualTo(0.01);
        assertThat(sources.at("/0/used").asBoolean()).isTrue();
        assertThat(sources.at("/1/kind").asText()).isEqualTo("lake");
        assertThat(sources.at("/1/used").asBoolean(true)).isFalse();
    }

    @Test
    void aPlanEvictsTheVersionThatIsRequestedLessOften() {
        String wanted = platform.dataset(LONG);
        String forgotten = platform.dataset(LONG);
        for (String name : List.of(wanted, forgotten)) {
            api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN);
        }
        api.post(version(wanted, "v1") + "/ensure?wait_seconds=30", IN);
        String planned = platform.dataset(LONG);
        survey(
                100_000,
                100_000,
                "null",
                "null",
                "null",
                resident(wanted, "CACHED", 0) + "," + resident(forgotten, "CACHED", 0));

        JsonNode space =
                api.post(version(planned, "v1") + "/plan", PLANNED).body().at("/regions/0/space");

        assertThat(space.get("admission").asText()).isEqualTo("after_eviction");
        assertThat(space.get("victims")).hasSize(1);
        assertThat(space.at("/victims/0/dataset").asText()).isEqualTo("team/" + forgotten);
        assertThat(space.at("/victims/0/uses").asDouble()).isBetween(0.99, 1.0);
        assertThat(space.at("/problem/code").asText()).isEqualTo("CAPACITY_EXCEEDED");
    }

    @Test
    void aPlanSparesAVersionThatNodesReadAlthoughItWasRequestedEarlier() {
        String read = platform.dataset(LONG);
        String forgotten = platform.dataset(LONG);
        for (String name : List.of(read, forgotten)) {
            api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN);
        }
        String planned = version(platform.dataset(LONG), "v1") + "/plan";
        survey(
                100_000,
                100_000,
                "null",
                "null",
                "null",
                resident(read, "CACHED", 0) + "," + resident(forgotten, "CACHED", 0));
        String victim = "/regions/0/space/victims/0/dataset";
        assertThat(api.post(planned, PLANNED).body().at(victim).asText()).isEqualTo("team/" + read);

        platform.gateway.setUsage(SweepFixture.usage(read, 5, 100_000, "0"));

        assertThat(api.post(planned, PLANNED).body().at(victim).asText())
                .isEqualTo("team/" + forgotten);
    }

    @Test
    void aPlanIgnoresRequestsFromLongAgo() throws SQLException {
        String wanted = platform.dataset(LONG);
        String forgotten = platform.dataset(LONG);
        for (String name : List.of(wanted, forgotten)) {
            api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN);
        }
        api.post(version(wanted, "v1") + "/ensure?wait_seconds=30", IN);
        try (Connection database = platform.database();
                Statement statement = database.createStatement()) {
            statement.executeUpdate(
                    """
                    insert into request (version, id, region, body, workflow_id, created_at)
                    select 'team/%s@v1', 'old-' || i, '%s', '{}', '', now() - interval '43 days'
                    from generate_series(1, 300) i"""
                            .formatted(forgotten, REGION));
        }
        survey(
                100_000,
                100_000,
                "null",
                "null",
                "null",
                resident(wanted, "CACHED", 0) + "," + resident(forgotten, "CACHED", 0));

        JsonNode space =
                api.post(version(platform.dataset(LONG), "v1") + "/plan", PLANNED)
                        .body()
                        .at("/regions/0/space");

        assertThat(space.at("/victims/0/dataset").asText()).isEqualTo("team/" + forgotten);
        assertThat(space.at("/victims/0/uses").asDouble()).isBetween(0.99, 1.0);
    }

    @Test
    void aPlanThatWaitsForPinsShowsWhenTheyEnd() {
        String held = platform.dataset(LONG);
        Api.Answer pinned =
                api.post(
                        version(held, "v1") + "/ensure?wait_seconds=30",
                        IN.replace("}", ",\"pin\":{\"holder\":\"me\",\"lease_seconds\":600}}"));
        Await.until(
                "the catalogue has the pin",
                () -> api.get("/pins").raw().body().contains("\"team/" + held + "\""));
        String planned = platform.dataset(LONG);
        survey(100_000, 100_000, "null", "null", "null", resident(held, "CACHED", 1));

        JsonNode space =
                api.post(version(planned, "v1") + "/plan", PLANNED).body().at("/regions/0/space");

        assertThat(space.get("admission").asText()).isEqualTo("waits");
        assertThat(space.get("victims")).isEmpty();
        assertThat(space.get("not_before").asText().substring(0, 19))
                .isEqualTo(pinned.body().at("/receipt/pin/expires_at").asText().substring(0, 19));
    }

    @Test
    void aPlanRefusesAVersionThatCanNeverFit() {
        survey(4_096, 0, "null", "null", "null", "");

        JsonNode space =
                api.post(version(platform.dataset(LONG), "v1") + "/plan", PLANNED)
                        .body()
                        .at("/regions/0/space");

        assertThat(space.get("admission").asText()).isEqualTo("refused");
        assertThat(space.at("/problem/code").asText()).isEqualTo("TOO_LARGE");
    }

    @Test
    void aPlanListsAnUnreachableRegionWithTheReason() {
        survey(100_000, 0, "null", "null", "null", "");

        Api.Answer plan = api.post(version(platform.dataset(LONG), "v1") + "/plan", "{}");

        assertThat(plan.status()).as(plan.raw().body()).isEqualTo(200);
        assertThat(plan.body().get("regions")).hasSize(2);
        assertThat(plan.body().at("/regions/0/problem").isNull()).isTrue();
        JsonNode away = plan.body().at("/regions/1");
        assertThat(away.get("region").asText()).isEqualTo(AWAY);
        assertThat(away.at("/problem/code").asText()).isEqualTo("UNAVAILABLE");
        assertThat(away.get("needs").isNull()).isTrue();
    }

    /** "Placements". */
    @Test
    void placementsRankRegionsForAJobWithReasons() {
        String name = platform.dataset(LONG);
        api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN);
        survey(
                100_000,
                8_192,
                "0",
                "{\"bytes\":0,\"objects\":0,\"lake_requests\":0,\"exact\":true}",
                "null",
                "");

        Api.Answer found = api.get("/placements?dataset=team/" + name + "&gpus=8");

        assertThat(found.status()).as(found.raw().body()).isEqualTo(200);
        assertThat(found.text("version")).isEqualTo("v1");
        assertThat(found.text("currency")).isEqualTo("EUR");
        JsonNode items = found.body().get("items");
        assertThat(items).hasSize(2);
        JsonNode warm = items.get(0);
        assertThat(warm.get("rank").asInt()).isEqualTo(1);
        assertThat(warm.get("region").asText()).isEqualTo(REGION);
        assertThat(warm.get("state").asText()).isEqualTo("CACHED");
        assertThat(warm.get("verdict").asText()).isEqualTo("warm");
        assertThat(warm.get("coverage").asDouble()).isEqualTo(1);
        assertThat(warm.get("free_bytes").asLong()).isEqualTo(100_000 - 8_192);
        assertThat(warm.get("eta_seconds").asLong()).isZero();
        assertThat(warm.get("gpus").asInt()).isEqualTo(64);
        assertThat(warm.get("reasons").toString())
                .contains("all bytes are present", "it has 64 GPUs, and the job needs 8");
        JsonNode away = items.get(1);
        assertThat(away.get("region").asText()).isEqualTo(AWAY);
        assertThat(away.get("verdict").asText()).isEqualTo("unknown");
        assertThat(away.get("coverage").isNull()).isTrue();
        assertThat(away.get("reasons").toString())
                .contains("UNAVAILABLE", "forebay.regions." + AWAY + ".gpus");

        JsonNode small = api.get("/placements?dataset=team/" + name + "&gpus=65").body();
        assertThat(small.at("/items/1/region").asText()).isEqualTo(REGION);
        assertThat(small.at("/items/1/verdict").asText()).isEqualTo("too_few_gpus");
    }

    @Test
    void placementsNameTheParameterThatTheyRefuse() {
        String name = platform.dataset(LONG);

        assertThat(api.get("/placements").text("field")).isEqualTo("dataset");
        assertThat(api.get("/placements?dataset=team").text("field")).isEqualTo("dataset");
        assertThat(api.get("/placements?dataset=team/" + name + "&gpus=0").text("field"))
                .isEqualTo("gpus");
        assertThat(api.get("/placements?dataset=team/" + name).text("code")).isEqualTo("NOT_FOUND");
        assertThat(api.get("/placements?dataset=team/nobody&version=v1").status()).isEqualTo(404);
    }

    @Test
    void aPlanFailsForUnknownNamesAndEmptySources() {
        String name = platform.dataset(LONG);
        api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"barren\",\"source\":\"s3://lake/barren/\"}");

        assertThat(api.post(version("nobody", "v1") + "/plan", PLANNED).status()).isEqualTo(404);
        assertThat(api.post(version(name, "latest") + "/plan", PLANNED).status()).isEqualTo(404);
        assertThat(api.post(version(name, "v1") + "/plan", "{\"regions\":[\"mars\"]}").text("code"))
                .isEqualTo("UNKNOWN_REGION");
        assertThat(api.post(version("barren", "v1") + "/plan", PLANNED).text("code"))
                .isEqualTo("LAKE_EMPTY");
    }

    private void survey(
            long capacity,
            long taken,
            String needed,
            String missing,
            String speed,
            String residents) {
        platform.gateway.setSurvey(
                """
                {"capacity_bytes":%d,"taken_bytes":%d,"needed_bytes":%s,"missing":%s,
                "speed":%s,"residents":[%s],"of_a_later_agent":1}"""
                        .formatted(capacity, taken, needed, missing, speed, residents));
    }

    private static String resident(String name, String state, int pins) {
        return """
        {"version":"team/%s@v1","bytes":11,"objects":2,"space_bytes":50000,"state":"%s","pins":%d}"""
                .formatted(name, state, pins);
    }

    private static String workflow(String name) {
        return WorkflowIds.version(DatasetVersion.of("team", name, "v1"));
    }

    /** Inserts a frozen version and its residency, as projections of its workflow would. */
    private void isKnownToBeIn(String region, String name) throws SQLException {
        try (Connection database = platform.database();
                Statement statement = database.createStatement()) {
            statement.executeUpdate(
                    """
                    insert into version (id, dataset, ttl_seconds, created_at, manifest_digest,
                      manifest_uri, manifest_objects, manifest_bytes, manifest_chunks)
                    values ('team/%1$s@v1', 'team/%1$s', 60, now(), '%2$s', 's3://forebay/m', 1,
                      1000000000, 120)"""
                            .formatted(name, "ab".repeat(32)));
            statement.executeUpdate(
                    """
                    insert into residency (version, region, state, bytes_cached, bytes_from_lake)
                    values ('team/%s@v1', '%s', 'CACHED', 1000000000, 11)"""
                            .formatted(name, region));
        }
    }

    /** Returns the rows that name a dataset, by table. */
    private Map<String, String> rowsOf(String name) throws SQLException {
        Map<String, String> rows = new TreeMap<>();
        try (Connection database = platform.database();
                Statement statement = database.createStatement()) {
            List<String> tables = new ArrayList<>();
            try (ResultSet found =
                    statement.executeQuery(
                            "select tablename from pg_tables where schemaname = 'public'")) {
                while (found.next()) {
                    tables.add(found.getString(1));
                }
            }
            for (String table : tables) {
                try (ResultSet found =
                        statement.executeQuery(
                                """
                                select string_agg(t::text, ';' order by t::text) from "%s" t
                                where t::text ~ 'team/%s([^0-9]|$)'"""
                                        .formatted(table, name))) {
                    found.next();
                    rows.put(table, String.valueOf(found.getString(1)));
                }
            }
        }
        assertThat(rows.get("dataset")).contains(name);
        return rows;
    }
}
