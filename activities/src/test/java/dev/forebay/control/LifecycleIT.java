package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The life of versions through the API, on real servers with a region in memory. */
class LifecycleIT {

    private static final long LONG = 3600;
    private static final String IN = "{\"region\":\"" + REGION + "\"}";
    private static final String CREATE = IN.replace("}", ",\"create\":true}");

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @Test
    void aDatasetIsRegisteredOnce() {
        String name = platform.newName();
        platform.put("once/a.txt", "a");
        String body =
                "{\"namespace\":\"team\",\"name\":\"%s\",\"source\":\"s3://lake/once/\"}"
                        .formatted(name);

        Api.Answer first = api.post("/datasets", body);
        Api.Answer second = api.post("/datasets", body);
        Api.Answer other = api.post("/datasets", body.replace("/once/", "/other/"));

        assertThat(first.status()).isEqualTo(201);
        assertThat(first.body().get("ttl_seconds").asLong()).isEqualTo(7 * 24 * 3600);
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(other.status()).isEqualTo(409);
        assertThat(other.text("code")).isEqualTo("ALREADY_EXISTS");
        assertThat(other.text("detail"))
                .endsWith("'forebay datasets register team/%s-2 s3://lake/other/'".formatted(name));
        for (String field : List.of("\"ttl_seconds\":60", "\"ttl_after\":\"read\"")) {
            Api.Answer differs = api.post("/datasets", body.replace("}", "," + field + "}"));
            assertThat(differs.text("code")).isEqualTo("ALREADY_EXISTS");
            assertThat(differs.text("detail"))
                    .contains("'forebay datasets ttl team/%s --ttl".formatted(name));
        }
    }

    @Test
    void datasetsAreListedPageByPage() {
        for (String name : List.of("c", "a", "b-1", "b.1")) {
            api.post(
                    "/datasets",
                    "{\"namespace\":\"pages\",\"name\":\"%s\",\"source\":\"s3://lake/p/\"}"
                            .formatted(name));
        }

        Api.Answer first = api.get("/datasets?namespace=pages&limit=3");
        Api.Answer second =
                api.get("/datasets?namespace=pages&limit=3&after=" + first.text("next"));

        assertThat(first.body().get("items"))
                .extracting(item -> item.get("name").asText())
                .containsExactly("a", "b-1", "b.1");
        assertThat(second.body().get("items"))
                .extracting(item -> item.get("name").asText())
                .containsExactly("c");
        assertThat(second.body().get("next").isNull()).isTrue();
    }

    @Test
    void ensureReturnsAReceiptWithThePin() {
        String v = version(platform.dataset(LONG), "v1");

        Api.Answer answer =
                api.post(
                        v + "/ensure?wait_seconds=30",
                        "{\"region\":\"%s\",\"pin\":{\"holder\":\"me\",\"lease_seconds\":60}}"
                                .formatted(REGION),
                        "Idempotency-Key",
                        "alive-1");

        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        JsonNode receipt = answer.body().get("receipt");
        assertThat(receipt.get("objects").asLong()).isEqualTo(2);
        assertThat(receipt.get("bytes").asLong()).isEqualTo(11);
        assertThat(receipt.get("bytes_verified").asLong()).isEqualTo(11);
        assertThat(receipt.get("pin").get("id").asText()).isEqualTo("alive-1");
        assertThat(receipt.get("workflow_url").asText())
                .startsWith(platform.temporal.ui().toString());
        Api.Answer shown = api.get(v);
        assertThat(shown.body().get("regions").get(0).get("state").asText()).isEqualTo("CACHED");
        assertThat(shown.body().get("manifest").get("digest"))
                .isEqualTo(receipt.get("manifest_digest"));
        // A renewal before the catalogue has the pin is not stored. The next one is.
        Await.until(
                "it is in the catalogue",
                () ->
                        api.get("/pins?region=" + REGION + "&limit=1000")
                                .body()
                                .get("items")
                                .findValuesAsText("id")
                                .contains("alive-1"));
        Api.Answer renewed = api.post(v + "/pins/alive-1/renew", IN);
        assertThat(Instant.parse(renewed.text("expires_at")))
                .isAfter(Instant.now().plusSeconds(200));
        Await.until(
                "the renewal is noted",
                () ->
                        Instant.parse(
                                        api.get(v + "/pins")
                                                .body()
                                                .at("/items/0/expires_at")
                                                .asText())
                                .isAfter(Instant.now().plusSeconds(200)));
        assertThat(api.post(v + "/pins/ended/renew", IN).status()).isEqualTo(404);
        assertThat(api.post(v + "/pins/between/renew", IN).status()).isEqualTo(503);
        assertThat(api.post(v + "/pins/dies/renew", IN).status()).isEqualTo(503);
    }

    @Test
    void anAnsweredKeyStartsANewRequestAfterAnEviction() {
        String v = version(platform.dataset(LONG), "v1");
        Api.Answer first = api.post(v + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "k");
        assertThat(api.post(v + "/evict", IN).status()).isEqualTo(200);

        Api.Answer again = api.post(v + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "k");

        assertThat(Instant.parse(again.body().at("/receipt/cached_at").asText()))
                .isAfter(Instant.parse(first.body().at("/receipt/cached_at").asText()));
        assertThat(api.get(v).body().at("/regions/0/state").asText()).isEqualTo("CACHED");
        assertThat(api.get(v + "/requests/k").body()).isEqualTo(again.body());
    }

    /** Temporal remembers answered updates for longer than the catalogue remembers requests. */
    @Test
    void aForgottenKeyStartsANewRequest() throws Exception {
        String v = version(platform.dataset(LONG), "v1");
        Api.Answer first = api.post(v + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "old");
        assertThat(api.post(v + "/evict", IN).status()).isEqualTo(200);
        try (Connection connection = platform.database();
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("delete from request where id = 'old'")).isOne();
        }

        Api.Answer again = api.post(v + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "old");

        assertThat(Instant.parse(again.body().at("/receipt/cached_at").asText()))
                .isAfter(Instant.parse(first.body().at("/receipt/cached_at").asText()));
    }

    @Test
    void aKeyIdentifiesOneRequest() {
        String v = version(platform.dataset(LONG), "v1");

        Api.Answer first = api.post(v + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "k");
        Api.Answer again = api.post(v + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "k");
        Api.Answer asked = api.get(v + "/requests/k");
        Api.Answer reused =
                api.post(
                        v + "/ensure",
                        "{\"region\":\"%s\",\"pin\":{\"holder\":\"me\",\"lease_seconds\":60}}"
                                .formatted(REGION),
                        "Idempotency-Key",
                        "k");

        assertThat(first.body().get("done").asBoolean()).isTrue();
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(asked.body()).isEqualTo(first.body());
        assertThat(reused.status()).isEqualTo(409);
        assertThat(reused.text("code")).isEqualTo("ALREADY_EXISTS");
        assertThat(api.get(v + "/requests/other").status()).isEqualTo(404);
    }

    /** "Which version is meant". */
    @Test
    void latestResolvesToTheNewestVersionOncePerRequest() {
        String name = platform.dataset(LONG);
        String latest = version(name, "latest") + "/ensure?wait_seconds=30";
        Api.Answer none = api.post(latest, IN);
        api.post(version(name, "b") + "/ensure?wait_seconds=30", IN);
        api.post(version(name, "a") + "/ensure?wait_seconds=30", CREATE);

        Api.Answer first = api.post(latest, IN, "Idempotency-Key", "k");
        api.post(version(name, "c") + "/ensure?wait_seconds=30", CREATE);
        Api.Answer again = api.post(latest, IN, "Idempotency-Key", "k");
        Api.Answer asked = api.get(version(name, "latest") + "/requests/k");
        Api.Answer other = api.post(latest, IN, "Idempotency-Key", "l");

        assertThat(none.status()).isEqualTo(404);
        assertThat(none.text("detail"))
                .contains("team/" + name + " has no frozen version yet")
                .contains("forebay freeze team/" + name);
        assertThat(first.text("version")).isEqualTo("a");
        assertThat(first.body().at("/receipt/version").asText()).isEqualTo("a");
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(asked.body()).isEqualTo(first.body());
        assertThat(other.text("version")).isEqualTo("c");
        assertThat(api.get(version(name, "latest")).text("version")).isEqualTo("c");
        assertThat(api.get(version(name, "latest") + "/requests/never").status()).isEqualTo(404);
        assertThat(api.get("/datasets/team/" + name + "/versions").body().get("items")).hasSize(3);
    }

    @Test
    void aDigestResolvesToTheFirstVersionWithThatManifest() {
        String name = platform.dataset(LONG);
        String digest = digest(api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN));
        digest(api.post(version(name, "v0") + "/ensure?wait_seconds=30", CREATE));

        Api.Answer answer = api.post(version(name, digest) + "/ensure?wait_seconds=30", IN);
        Api.Answer shown = api.get(version(name, digest.toUpperCase(Locale.ROOT)));
        Api.Answer unknown = api.post(version(name, "0".repeat(64)) + "/ensure", IN);

        assertThat(digest(answer)).isEqualTo(digest);
        assertThat(answer.text("version")).isEqualTo("v1");
        assertThat(shown.text("version")).isEqualTo("v1");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.text("detail")).contains("no version of team/" + name);
        assertThat(api.get("/datasets/team/" + name + "/versions").body().get("items")).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET    |                     |",
                "POST   | /evict              | {\"region\":\"test-1\"}",
                "POST   | /resume             | {\"region\":\"test-1\"}",
                "PUT    | /ttl                | {\"ttl_seconds\":60}",
                "GET    | /pins               |",
                "POST   | /pins               | {\"region\":\"test-1\",\"holder\":\"me\",\"lease_seconds\":60}",
                "POST   | /pins/p/renew       | {\"region\":\"test-1\"}",
                "DELETE | /pins/p?region=test-1 |",
                "GET    | /requests/r         |",
            })
    void anUnknownVersionIsNotFoundAndNotCreated(
            String method, @Nullable String path, @Nullable String body) {
        String name = platform.dataset(LONG);
        String v = version(name, "never");

        Api.Answer answer = api.send(method, v + (path == null ? "" : path), body);

        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(404);
        assertThat(answer.text("code")).isEqualTo("NOT_FOUND");
        assertThat(answer.text("detail")).contains("team/" + name + "@never");
        assertThat(api.get("/datasets/team/" + name + "/versions").body().get("items")).isEmpty();
        assertThat(platform.region.hasWorkflow("dataset/team/" + name + "@never")).isFalse();
    }

    @Test
    void aVersionKeepsItsFirstManifestAndTheNextGetsItsOwn() {
        String name = platform.dataset(LONG);
        String v1 = version(name, "v1");
        String first = digest(api.post(v1 + "/ensure?wait_seconds=30", IN));
        platform.put(name + "/new.txt", "third");
        api.post(v1 + "/evict", IN);

        assertThat(digest(api.post(v1 + "/ensure?wait_seconds=30", IN))).isEqualTo(first);
        assertThat(digest(api.post(version(name, "v2") + "/ensure?wait_seconds=30", CREATE)))
                .isNotEqualTo(first);
    }

    @Test
    void theDatabaseRefusesToReplaceAManifest() throws Exception {
        String name = platform.dataset(LONG);
        digest(api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN));

        try (Connection database = platform.database();
                PreparedStatement change =
                        database.prepareStatement(
                                "update version set manifest_digest = 'other' where id = ?")) {
            change.setString(1, "team/" + name + "@v1");

            assertThatThrownBy(change::executeUpdate).hasMessageContaining("for good");
        }
    }

    @Test
    void theCatalogueShowsTheStateOfTheWorkflow() {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        for (String id : List.of("p1", "p2")) {
            api.post(
                    v + "/pins",
                    "{\"region\":\"%s\",\"id\":\"%s\",\"holder\":\"me\",\"lease_seconds\":600}"
                            .formatted(REGION, id));
        }
        api.delete(v + "/pins/p1?region=" + REGION);

        Await.until(
                "the read-models are those of the workflow",
                () -> {
                    JsonNode known =
                            api.get(v.substring(0, v.lastIndexOf('/'))).body().at("/items/0");
                    ObjectNode shown = (ObjectNode) api.get(v).body();
                    shown.putNull("origin"); // lists have no origin
                    return known.at("/pins").size() == 1 && known.equals(shown);
                });
        assertThat(api.get("/pins?region=" + REGION + "&limit=1000").body().get("items"))
                .filteredOn(pin -> pin.get("dataset").asText().equals("team/" + name))
                .extracting(pin -> pin.get("id").asText())
                .containsExactly("p2");
    }

    private static boolean isWaiting(JsonNode cause, String why) {
        return cause.path("code").asText().equals("UNAVAILABLE")
                && cause.path("message").asText().contains(why);
    }

    @Test
    void theRegionListReportsAnUnreachableEtcdOrAgent() {
        platform.gateway.setEtcdReachable(false);
        JsonNode regions;
        try {
            regions = api.get("/regions").body();
        } finally {
            platform.gateway.setEtcdReachable(true);
        }

        assertThat(regions.at("/items/0/reachable").asBoolean()).isTrue();
        assertThat(regions.at("/items/0/etcd_reachable").asBoolean(true)).isFalse();
        assertThat(isWaiting(regions.at("/items/0/problem"), "etcd of region test-1")).isTrue();
        assertThat(regions.at("/items/0/workers")).hasSize(1);
        assertThat(regions.at("/items/1/reachable").asBoolean(true)).isFalse();
        assertThat(regions.at("/items/1/etcd_reachable").isNull()).isTrue();
        assertThat(isWaiting(regions.at("/items/1/problem"), "agent of region test-2")).isTrue();
    }

    @Test
    void theRegionListShowsWhatTheAgentReports() {
        JsonNode region = api.get("/regions").body().at("/items/0");

        assertThat(region.get("etcd_reachable").asBoolean()).isTrue();
        assertThat(region.get("problem").isNull()).isTrue();
        assertThat(region.get("name").asText()).isEqualTo(REGION);
        assertThat(region.get("reachable").asBoolean()).isTrue();
        assertThat(region.get("mount_root").asText()).isEqualTo("/mnt/test");
        assertThat(region.at("/workers/0/capacity_bytes").asLong()).isEqualTo(10);
    }

    private static String digest(Api.Answer ensured) {
        assertThat(ensured.status()).as(ensured.raw().body()).isEqualTo(200);
        return ensured.body().at("/receipt/manifest_digest").asText();
    }
}
