package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Explanations of cold versions, and what follows a cancelled or failed request. */
class ExplainIT {

    private static final String IN = "{\"region\":\"" + REGION + "\"}";
    private static final String CREATE = IN.replace("}", ",\"create\":true}");

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    /** "Why a version is cold". */
    @Test
    void explainGivesTheReasonOfAnEvictionAfterACrash() {
        String name = platform.dataset(3600);
        String v = version(name, "v1");
        assertThat(words(name, "v1")).contains("its history has no request for it there");
        api.post(
                v + "/ensure?wait_seconds=30",
                """
                {"region":"%s","pin":{"id":"p","holder":"run train-7","lease_seconds":600}}"""
                        .formatted(REGION));
        assertThat(words(name, "v1"))
                .contains("is warm in " + REGION)
                .contains("It stays while it is pinned by run train-7.");
        api.delete(v + "/pins/p?region=" + REGION);
        // Temporal retries a projection of a killed process only after 30 s.
        Await.until(
                "the catalogue knows of the release",
                () -> kinds(explained(name, "v1")).contains("RELEASED"));
        platform.process.kill9();
        platform.process.restart();
        api.post(v + "/evict", "{\"region\":\"%s\",\"reason\":\"space for v2\"}".formatted(REGION));

        awaitWords(name, "v1", "because space for v2");
        // The catalogue, which answers if the workflow is slow, then knows it, too.
        Await.until(
                "the eviction is on the bill",
                () ->
                        api.get("/costs?dataset=team/" + name).body().at("/total/evictions").asInt()
                                == 1);
        assertThat(words(name, "v1"))
                .contains("team/%s@v1 is cold in %s: it was evicted at".formatted(name, REGION))
                .contains("Its last pin, of run train-7, ended at");
        assertThat(kinds(explained(name, "v1")))
                .startsWith("EVICTED", "EVICTING", "RELEASED")
                .containsExactlyInAnyOrder(
                        "EVICTED", "EVICTING", "RELEASED", "CACHED", "PINNED", "ASKED_FOR");
    }

    @Test
    void explainResolvesLatestAndListsCompleteVersions() {
        String name = platform.dataset(3600);
        api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN);
        platform.region.shut();
        try {
            api.post(version(name, "v2") + "/ensure", CREATE);
            Await.until("it is filled", () -> words(name, "latest").contains("% of its"));
            JsonNode explained = explained(name, "latest");

            assertThat(explained.get("version").asText()).isEqualTo("v2");
            assertThat(explained.get("state").asText()).isEqualTo("WARMING");
            assertThat(explained.get("warm").asBoolean()).isFalse();
            Await.until(
                    "the catalogue knows v1",
                    () -> words(name, "v2").contains("Complete there: v1"));
            assertThat(words(name, "v1")).contains("It is not the newest version: 'latest' is v2");
        } finally {
            platform.region.open();
        }
    }

    @Test
    void aBlockedVersionExplainsWhatToDoAndCanBeAbandoned() {
        String name = platform.dataset(3600);
        String v = version(name, "v1");
        platform.region.mountsFailForGood("LAKE_DENIED", "the lake refuses our key");
        try {
            api.post(v + "/ensure?wait_seconds=30", IN);
        } finally {
            platform.region.mountsSucceed();
        }
        assertThat(words(name, "v1"))
                .contains("its fill stopped")
                .contains("LAKE_DENIED: the lake refuses our key")
                .contains("then 'forebay resume team/%s@v1 --region %s'".formatted(name, REGION));

        Await.until("the catalogue lists it", () -> !blocked(name).isEmpty());
        assertThat(blocked(name)).singleElement().asString().contains("LAKE_DENIED", "the lake");

        Api.Answer abandoned =
                api.post(
                        v + "/abandon",
                        "{\"region\":\"%s\",\"reason\":\"wrong key\"}".formatted(REGION));

        assertThat(abandoned.status()).as(abandoned.raw().body()).isEqualTo(200);
        assertThat(abandoned.body().at("/regions/0/state").asText()).isEqualTo("ABSENT");
        awaitWords(name, "v1", "because it was abandoned after LAKE_DENIED: wrong key");
        Await.until("the catalogue lists it no more", () -> blocked(name).isEmpty());
        assertThat(api.post(v + "/abandon", IN).status()).isEqualTo(200);
        assertThat(api.post(v + "/ensure?wait_seconds=30", IN).status()).isEqualTo(200);
    }

    /** Reads pages of one entry. Other tests may have left entries. */
    private List<JsonNode> blocked(String name) {
        List<JsonNode> found = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = api.get("/blocked?limit=1&after=" + after).body();
            page.get("items").forEach(found::add);
            after = page.get("next").asText("");
        } while (!after.isEmpty());
        assertThat(found).doesNotHaveDuplicates();
        return found.stream()
                .filter(each -> each.get("dataset").asText().equals("team/" + name))
                .toList();
    }

    /** "Cancelling a request". */
    @Test
    void aCancelledRequestReturnsCancelledAndLeavesNothingBehind() {
        String name = platform.dataset(3600);
        String v = version(name, "v1");
        platform.region.shut();
        try {
            api.post(v + "/ensure", IN, "Idempotency-Key", "regretted");
            Await.until(
                    "it is filled",
                    () -> api.get(v).body().at("/regions/0/bytes_cached").asLong() > 0);
            Instant before = Instant.now();

            assertThat(api.delete(v + "/requests/regretted").status()).isEqualTo(204);

            assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(30));
            Api.Answer asked = api.get(v + "/requests/regretted");
            assertThat(asked.status()).isEqualTo(409);
            assertThat(asked.text("code")).isEqualTo("CANCELLED");
            assertThat(api.get(v).body().at("/regions/0/state").asText()).isEqualTo("ABSENT");
            assertThat(api.delete(v + "/requests/regretted").status()).isEqualTo(204);
        } finally {
            platform.region.open();
        }

        assertThat(api.delete(v + "/requests/unheard-of").status()).isEqualTo(404);
        Api.Answer again =
                api.post(v + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "regretted");
        assertThat(again.status()).as(again.raw().body()).isEqualTo(200);
        assertThat(api.delete(v + "/requests/regretted").status()).isEqualTo(204);
        assertThat(api.get(v + "/requests/regretted").status())
                .as("answered before")
                .isEqualTo(200);
        assertThat(api.get(v).body().at("/regions/0/state").asText()).isEqualTo("CACHED");
    }

    @Test
    void aRequestCanBeCancelledAfterItsWorkflowIsTerminated() {
        String name = platform.dataset(3600);
        String v = version(name, "v1");
        platform.region.shut();
        try {
            api.post(v + "/ensure", IN, "Idempotency-Key", "orphan-to-be");
            platform.region.terminate("dataset/team/" + name + "@v1");
            api.delete(v + "/requests/orphan-to-be");
        } finally {
            platform.region.open();
        }

        assertThat(api.get(v + "/requests/orphan-to-be").text("code")).isEqualTo("CANCELLED");
    }

    private void awaitWords(String name, String asked, String words) {
        Await.until("it says: " + words, () -> words(name, asked).contains(words));
    }

    private String words(String name, String asked) {
        List<String> sentences = new ArrayList<>();
        explained(name, asked).get("sentences").forEach(each -> sentences.add(each.asText()));
        return String.join(" ", sentences);
    }

    private JsonNode explained(String name, String asked) {
        Api.Answer answer =
                api.get(
                        "/datasets/team/%s/explain?region=%s&version=%s"
                                .formatted(name, REGION, asked));
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        return answer.body();
    }

    private static List<String> kinds(JsonNode explained) {
        List<String> kinds = new ArrayList<>();
        explained.get("history").forEach(each -> kinds.add(each.get("kind").asText()));
        return kinds;
    }
}
