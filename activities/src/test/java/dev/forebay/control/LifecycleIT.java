package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.model.DatasetVersion;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import io.temporal.common.Priority;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The life of versions through the API, on real servers with a region in memory. */
class LifecycleIT {

    private static final long LONG = 3600;
    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @Test
    void aDatasetIsRegisteredOnce() {
        String body =
                "{\"namespace\":\"team\",\"name\":\"%s\",\"source\":\"s3://lake/once/\"}"
                        .formatted(platform.newName());

        Api.Answer first = api.post("/datasets", body);
        Api.Answer second = api.post("/datasets", body);
        Api.Answer other = api.post("/datasets", body.replace("/once/", "/other/"));

        assertThat(first.status()).isEqualTo(201);
        assertThat(first.body().get("ttl_seconds").asLong()).isEqualTo(7 * 24 * 3600);
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(other.status()).isEqualTo(409);
        assertThat(other.text("code")).isEqualTo("ALREADY_EXISTS");
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
    void ensureGivesAReceiptWithThePin() {
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
        // What is renewed before the catalogue has it is noted by the next renewal only.
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
    void aKeyThatWasAnsweredAsksAnew() {
        String v = version(platform.dataset(LONG), "v1");
        Api.Answer first = api.post(v + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "k");
        assertThat(api.post(v + "/evict", IN).status()).isEqualTo(200);

        Api.Answer again = api.post(v + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "k");

        assertThat(Instant.parse(again.body().at("/receipt/cached_at").asText()))
                .isAfter(Instant.parse(first.body().at("/receipt/cached_at").asText()));
        assertThat(api.get(v).body().at("/regions/0/state").asText()).isEqualTo("CACHED");
        assertThat(api.get(v + "/requests/k").body()).isEqualTo(again.body());
    }

    /** Temporal remembers what it has answered for longer than the catalogue does. */
    @Test
    void aKeyThatWasForgottenAsksAnew() throws Exception {
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

    /** Who only ever sends it again, as a sensor does, hears of it. */
    @Test
    void aFailureThatNobodyWasToldIsToldBeforeTheKeyAsksAnew() {
        String v = version(platform.dataset(LONG), "v1");
        platform.region.mountsFail("UNAVAILABLE", "etcd of test-1 is away");
        try {
            assertThat(api.post(v + "/ensure", IN, "Idempotency-Key", "k").status()).isEqualTo(202);
            platform.region.mountsFailForGood("UNAVAILABLE", "workers of test-1 are away");
            Await.until(
                    "it has failed",
                    () -> api.get(v).body().at("/regions/0/state").asText().equals("BLOCKED"));

            Api.Answer told = api.post(v + "/ensure", IN, "Idempotency-Key", "k");

            assertThat(told.status()).as(told.raw().body()).isEqualTo(503);
            assertThat(told.text("detail")).contains("workers of test-1 are away");
        } finally {
            platform.region.mountsSucceed();
        }
        assertThat(api.post(v + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "k").status())
                .isEqualTo(200);
    }

    @Test
    void theSameKeyIsTheSameRequest() {
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
    void latestIsTheNewestVersionAndStaysItForTheSameRequest() {
        String name = platform.dataset(LONG);
        String latest = version(name, "latest") + "/ensure?wait_seconds=30";
        Api.Answer none = api.post(latest, IN);
        api.post(version(name, "b") + "/ensure?wait_seconds=30", IN);
        api.post(version(name, "a") + "/ensure?wait_seconds=30", IN);

        Api.Answer first = api.post(latest, IN, "Idempotency-Key", "k");
        api.post(version(name, "c") + "/ensure?wait_seconds=30", IN);
        Api.Answer again = api.post(latest, IN, "Idempotency-Key", "k");
        Api.Answer asked = api.get(version(name, "latest") + "/requests/k");
        Api.Answer other = api.post(latest, IN, "Idempotency-Key", "l");

        assertThat(none.status()).isEqualTo(404);
        assertThat(none.text("detail")).contains("team/" + name + " has no version yet");
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
    void aDigestMeansTheFirstVersionWithThisManifest() {
        String name = platform.dataset(LONG);
        String digest = digest(api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN));
        digest(api.post(version(name, "v0") + "/ensure?wait_seconds=30", IN));

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

    @Test
    void aPartIsEnoughForWhoAsksForOne() {
        String v = version(platform.dataset(LONG), "v1");
        platform.region.shut();
        try {
            Api.Answer part =
                    api.post(
                            v + "/ensure?wait_seconds=30",
                            IN.replace("}", ",\"min_coverage\":0.4}"));

            assertThat(part.status()).as(part.raw().body()).isEqualTo(200);
            JsonNode receipt = part.body().get("receipt");
            assertThat(receipt.get("coverage").asDouble()).isEqualTo(5.0 / 11);
            assertThat(receipt.get("bytes_verified").asLong()).isEqualTo(FakeRegion.PART);
            assertThat(receipt.at("/bytes_from/lake").asLong()).isEqualTo(FakeRegion.PART);
            assertThat(receipt.get("path").asText()).startsWith("/mnt/test/");
            assertThat(receipt.get("cached_at").isNull()).isTrue();
            assertThat(receipt.get("cold").isNull()).isTrue();
            assertThat(api.get(v).body().at("/regions/0/state").asText()).isEqualTo("WARMING");
        } finally {
            platform.region.open();
        }
        Await.until(
                "the rest follows",
                () -> api.get(v).body().at("/regions/0/state").asText().equals("CACHED"));
    }

    @Test
    void whatIsNotThereByTheDeadlineIsRefusedOrRunCold() {
        String v = version(platform.dataset(LONG), "v1");
        platform.region.shut();
        Api.Answer refused;
        Api.Answer cold;
        try {
            api.post(v + "/ensure", IN);
            Await.until(
                    "the first file is there",
                    () -> api.get(v).body().at("/regions/0/bytes_cached").asLong() == 5);
            String by = IN.replace("}", ",\"deadline_seconds\":1%s}");
            refused = api.post(v + "/ensure?wait_seconds=30", by.formatted(""));
            cold =
                    api.post(
                            v + "/ensure?wait_seconds=30",
                            by.formatted(
                                    ",\"on_deadline\":\"run_cold\",\"pin\":{\"holder\":\"me\",\"lease_seconds\":60}"));
        } finally {
            platform.region.open();
        }

        assertThat(refused.status()).as(refused.raw().body()).isEqualTo(504);
        assertThat(refused.text("code")).isEqualTo("DEADLINE_EXCEEDED");
        assertThat(refused.text("detail"))
                .contains("within 1 s", "5 of its 11 bytes are there and verified");
        assertThat(cold.status()).as(cold.raw().body()).isEqualTo(200);
        JsonNode receipt = cold.body().get("receipt");
        assertThat(receipt.at("/cold/code").asText()).isEqualTo("DEADLINE_EXCEEDED");
        assertThat(receipt.at("/cold/message").asText()).contains("its filling goes on");
        assertThat(receipt.get("coverage").asDouble()).isEqualTo(5.0 / 11);
        assertThat(receipt.at("/pin/holder").asText()).isEqualTo("me");
        Await.until(
                "the filling went on",
                () -> api.get(v).body().at("/regions/0/state").asText().equals("CACHED"));
    }

    @Test
    void severalRegionsAreAnsweredTogether() {
        String v = version(platform.dataset(LONG), "v1");
        String both = "{\"regions\":[\"%s\",\"%s\"]".formatted(REGION, TestControlPlane.AWAY);

        Api.Answer pending = api.post(v + "/ensure", both + "}", "Idempotency-Key", "k");
        Api.Answer asked = api.get(v + "/requests/k?region=" + TestControlPlane.AWAY);
        Api.Answer cold =
                api.post(
                        v + "/ensure?wait_seconds=30",
                        both + ",\"deadline_seconds\":3,\"on_deadline\":\"run_cold\"}");

        assertThat(pending.status()).as(pending.raw().body()).isEqualTo(202);
        assertThat(pending.body().get("regions"))
                .extracting(progress -> progress.get("region").asText())
                .containsExactly(REGION, TestControlPlane.AWAY);
        assertThat(pending.body().get("progress")).isEqualTo(pending.body().get("regions").get(0));
        assertThat(asked.status()).isEqualTo(202);
        assertThat(cold.status()).as(cold.raw().body()).isEqualTo(200);
        JsonNode there = cold.body().get("receipts").get(0);
        JsonNode away = cold.body().get("receipts").get(1);
        assertThat(cold.body().get("receipt")).isEqualTo(there);
        assertThat(there.get("coverage").asDouble()).isEqualTo(1);
        assertThat(there.get("cold").isNull()).isTrue();
        assertThat(away.get("region").asText()).isEqualTo(TestControlPlane.AWAY);
        assertThat(away.get("coverage").asDouble()).isZero();
        assertThat(away.get("path").isNull()).isTrue();
        assertThat(away.at("/cold/message").asText()).contains("has not taken it up yet");
    }

    /** "Who is served first". */
    @Test
    void priorityAndNamespaceReachTheRegion() {
        String name = platform.dataset(LONG);
        String later = IN.replace("}", ",\"priority\":\"speculative\"}");
        api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN);
        api.post(version(name, "v2") + "/ensure?wait_seconds=30", later);

        DatasetVersion first = DatasetVersion.of("team", name, "v1");
        DatasetVersion second = DatasetVersion.of("team", name, "v2");
        Priority waiting = platform.region.priority(first);
        Priority speculative = platform.region.priority(second);
        assertThat(waiting.getPriorityKey()).isLessThan(speculative.getPriorityKey());
        assertThat(waiting.getFairnessKey()).isEqualTo("team");
        assertThat(speculative.getFairnessKey()).isEqualTo("team");
        assertThat(platform.region.listingPriority(first))
                .isLessThan(platform.region.listingPriority(second));
    }

    @Test
    void aHundredCallersCauseOneFill() throws Exception {
        String v = version(platform.dataset(LONG), "v1");
        int before = platform.region.warmed();
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<Api.Answer>> calls =
                    IntStream.range(0, 100)
                            .<Callable<Api.Answer>>mapToObj(
                                    i -> () -> api.post(v + "/ensure?wait_seconds=30", IN))
                            .toList();
            for (Future<Api.Answer> answer : callers.invokeAll(calls)) {
                assertThat(answer.get().status()).as(answer.get().raw().body()).isEqualTo(200);
            }
        }

        assertThat(platform.region.warmed() - before).isEqualTo(1);
    }

    @Test
    void whatIsPinnedIsNotEvictedAndWhatIsReleasedIs() {
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
    void aVersionThatNobodyAskedForIsNotFound(
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
    void aPinSaysWhichJobHoldsIt() {
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
    void pinsThatNobodyStandsBehindAreListedWithTheReason() {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        for (String id : List.of("kept", "left")) {
            api.post(
                    v + "/pins",
                    "{\"region\":\"%s\",\"id\":\"%s\",\"holder\":\"me\",\"lease_seconds\":600}"
                            .formatted(REGION, id));
        }
        platform.gateway.setPins(
                "{\"pins\":[%s,%s,%s]}"
                        .formatted(
                                held(name, "kept", 400),
                                held(name, "left", 200),
                                held(name, "lost", 600)));
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
        }
    }

    private static String held(String name, String id, int remaining) {
        return """
                {"version":{"dataset":{"namespace":"team","name":"%s"},"version":"v1"},"id":"%s","holder":"me",
                "reason":"","lease_seconds":600,"remaining_seconds":%d,"job":null}"""
                .formatted(name, id, remaining);
    }

    @Test
    void whatARegionDoesNotHaveIsEvictedWithoutAWord() {
        String v = version(platform.dataset(LONG), "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        api.post(v + "/evict", IN);

        assertThat(api.post(v + "/evict", IN).status()).isEqualTo(200);
        assertThat(api.post(v + "/resume", IN).status()).isEqualTo(200);
    }

    @Test
    void theTtlOfAVersionIsKeptThoughItsWorkflowWasEnded() {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        api.post(v + "/evict", IN);
        platform.region.terminate("dataset/team/" + name + "@v1");

        Api.Answer answer = api.put(v + "/ttl", "{\"ttl_seconds\":77}");

        assertThat(answer.body().path("ttl_seconds").asLong()).isEqualTo(77);
    }

    @Test
    void aPinWhereTheVersionIsNotIsRefused() {
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

    @Test
    void theScheduleEvictsWhatHasOutlivedItsTime() {
        String v = version(platform.dataset(1), "v1");

        api.post(v + "/ensure?wait_seconds=30", IN);

        Await.until(
                "evicted by the sweep",
                () -> api.get(v).body().at("/regions/0/state").asText().equals("ABSENT"));
    }

    @Test
    void theTtlOfAVersionIsItsOwn() {
        String v = version(platform.dataset(LONG), "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);

        Api.Answer answer = api.put(v + "/ttl", "{\"ttl_seconds\":1234}");

        assertThat(answer.body().get("ttl_seconds").asLong()).isEqualTo(1234);
        Await.until(
                "the catalogue knows",
                () ->
                        api.get(v.replace("/v1", "")).body().at("/items/0/ttl_seconds").asLong()
                                == 1234);
    }

    @Test
    void twoWhoChangeTheTtlOfADatasetAndFromWhatItCountsAtOnceDoNotUndoEachOther()
            throws Exception {
        String dataset = "team/" + platform.dataset(LONG);
        String ttl = "/datasets/" + dataset + "/ttl";
        List<Future<Api.Answer>> answers = new ArrayList<>();
        // Closed from the last to the first: the row is let go of, and then they can end.
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
                Connection database = platform.database();
                PreparedStatement hold =
                        database.prepareStatement(
                                "select id from dataset where id = ? for update")) {
            database.setAutoCommit(false);
            hold.setString(1, dataset);
            assertThat(hold.execute()).isTrue();
            answers.add(callers.submit(() -> api.put(ttl, "{\"ttl_seconds\":77}")));
            answers.add(callers.submit(() -> api.put(ttl, "{\"ttl_after\":\"read\"}")));
            Await.until(
                    "both have read what they want to, and are held up as they write",
                    () -> countWaitingToChangeADataset() == 2);
        }

        for (Future<Api.Answer> answer : answers) {
            assertThat(answer.get().status()).as(answer.get().raw().body()).isEqualTo(200);
        }
        JsonNode changed = api.get("/datasets/" + dataset).body();
        assertThat(changed.get("ttl_seconds").asLong()).isEqualTo(77);
        assertThat(changed.get("ttl_after").asText()).isEqualTo("read");
    }

    private int countWaitingToChangeADataset() {
        String sql =
                """
                select count(*) from pg_stat_activity
                where wait_event_type = 'Lock' and query like 'update dataset %'""";
        try (Connection database = platform.database();
                Statement statement = database.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            return found.next() ? found.getInt(1) : 0;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aVersionKeepsItsFirstManifestAndTheNextReusesItsPacks() {
        String name = platform.dataset(LONG);
        String v1 = version(name, "v1");
        String first = digest(api.post(v1 + "/ensure?wait_seconds=30", IN));
        platform.put(name + "/new.txt", "third");
        api.post(v1 + "/evict", IN);

        assertThat(digest(api.post(v1 + "/ensure?wait_seconds=30", IN))).isEqualTo(first);
        assertThat(digest(api.post(version(name, "v2") + "/ensure?wait_seconds=30", IN)))
                .isNotEqualTo(first);
    }

    @Test
    void theDatabaseItselfRefusesAnotherManifest() throws Exception {
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
    void theCatalogueShowsWhatTheWorkflowSaid() {
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
                    shown.putNull("origin"); // is not in lists
                    return known.at("/pins").size() == 1 && known.equals(shown);
                });
        assertThat(api.get("/pins?region=" + REGION + "&limit=1000").body().get("items"))
                .filteredOn(pin -> pin.get("dataset").asText().equals("team/" + name))
                .extracting(pin -> pin.get("id").asText())
                .containsExactly("p2");
    }

    @Test
    void aFillingThatFailedForGoodIsNotToBeSentAgain() {
        String v = version(platform.dataset(LONG), "v1");
        platform.region.mountsFailForGood("UNAVAILABLE", "workers of test-1 are away");
        Api.Answer answer;
        try {
            answer = api.post(v + "/ensure?wait_seconds=30", IN);
        } finally {
            platform.region.mountsSucceed();
        }

        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(503);
        assertThat(answer.text("code")).isEqualTo("UNAVAILABLE");
        assertThat(answer.text("detail")).contains("workers of test-1 are away");
        assertThat(answer.body().get("retryable").asBoolean()).isFalse();
        assertThat(answer.raw().headers().firstValue("Retry-After")).isEmpty();
        assertThat(api.get(v).body().at("/regions/0/state").asText()).isEqualTo("BLOCKED");
        assertThat(api.post(v + "/resume", IN).status()).isEqualTo(200);
    }

    @Test
    void anEmptySourceIsARefusalThatSaysSo() {
        api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"empty\",\"source\":\"s3://lake/empty/\"}");

        Api.Answer answer = api.post(version("empty", "v1") + "/ensure?wait_seconds=30", IN);

        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(422);
        assertThat(answer.text("code")).isEqualTo("LAKE_EMPTY");
    }

    @Test
    void whatAFillingWaitsForIsShown() {
        String v = version(platform.dataset(LONG), "v1");
        platform.region.mountsFail("UNAVAILABLE", "etcd of test-1 is away");
        try {
            api.post(v + "/ensure", IN, "Idempotency-Key", "k");
            Await.until(
                    "an attempt has failed",
                    () ->
                            isWaiting(
                                    api.get(v + "/requests/k").body().at("/progress/waiting"),
                                    "etcd of test-1 is away"));
            assertThat(api.get(v).body().at("/regions/0/state").asText()).isEqualTo("WARMING");
            assertThat(isWaiting(api.get(v).body().at("/regions/0/waiting"), "etcd of test-1"))
                    .isTrue();
        } finally {
            platform.region.mountsSucceed();
        }

        Await.until("done", () -> api.get(v + "/requests/k?wait_seconds=10").status() == 200);
        assertThat(api.get(v).body().at("/regions/0/waiting").isNull()).isTrue();
    }

    @Test
    void aFillingThatNoAgentTakesUpSaysSo() {
        String v = version(platform.dataset(LONG), "v1");
        api.post(v + "/ensure", "{\"region\":\"" + TestControlPlane.AWAY + "\"}");

        Await.until(
                "it is noticed",
                () ->
                        isWaiting(
                                api.get(v).body().at("/regions/0/waiting"),
                                "no agent of test-2 has taken up 'FillFrom'"));
    }

    private static boolean isWaiting(JsonNode cause, String why) {
        return cause.path("code").asText().equals("UNAVAILABLE")
                && cause.path("message").asText().contains(why);
    }

    @Test
    void aRegionWithoutItsEtcdOrItsAgentSaysSo() {
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
    void regionsAreShownAsTheirAgentsSeeThem() {
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
