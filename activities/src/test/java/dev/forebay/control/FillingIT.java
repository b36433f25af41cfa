package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.model.DatasetVersion;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import io.temporal.common.Priority;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Fills of a region, through the API on real servers with a region in memory. */
class FillingIT {

    private static final long LONG = 3600;
    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    /** A client that only repeats its request, such as a sensor, must see the failure. */
    @Test
    void aKeyReturnsAnUnreportedFailureBeforeItStartsANewRequest() {
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
    void ensureReturnsWhenMinCoverageIsReached() {
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
    void ensureFailsOrRunsColdAtItsDeadline() {
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
                .contains("within 1 s", "5 of its 11 bytes are present and verified");
        assertThat(cold.status()).as(cold.raw().body()).isEqualTo(200);
        JsonNode receipt = cold.body().get("receipt");
        assertThat(receipt.at("/cold/code").asText()).isEqualTo("DEADLINE_EXCEEDED");
        assertThat(receipt.at("/cold/message").asText()).contains("its fill continues");
        assertThat(receipt.get("coverage").asDouble()).isEqualTo(5.0 / 11);
        assertThat(receipt.at("/pin/holder").asText()).isEqualTo("me");
        Await.until(
                "the fill continued",
                () -> api.get(v).body().at("/regions/0/state").asText().equals("CACHED"));
    }

    @Test
    void ensureOfSeveralRegionsReturnsAReceiptForEach() {
        String v = version(platform.dataset(LONG), "v1");
        String both = "{\"regions\":[\"%s\",\"%s\"]".formatted(REGION, TestControlPlane.AWAY);

        Api.Answer pending = api.post(v + "/ensure", both + "}", "Idempotency-Key", "k");
        Api.Answer asked = api.get(v + "/requests/k?region=" + TestControlPlane.AWAY);
        Await.until(
                "the reachable region is filled",
                () -> api.get(v).body().at("/regions/0/state").asText().equals("CACHED"));
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
        assertThat(away.at("/cold/message").asText()).contains("has not started the fill yet");
    }

    /** "Priority". */
    @Test
    void priorityAndNamespaceReachTheRegion() {
        String name = platform.dataset(LONG);
        String later = IN.replace("}", ",\"priority\":\"speculative\",\"create\":true}");
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
                            .<Callable<Api.Answer>>mapToObj(_ -> () -> ensurePatiently(v))
                            .toList();
            for (Future<Api.Answer> answer : callers.invokeAll(calls)) {
                assertThat(answer.get().status()).as(answer.get().raw().body()).isEqualTo(200);
            }
        }

        assertThat(platform.region.warmed() - before).isEqualTo(1);
    }

    /** Retries like the SDK, because the database has fewer connections than there are callers. */
    private Api.Answer ensurePatiently(String version) {
        Api.Answer answer;
        int attempts = 0;
        do {
            answer = api.post(version + "/ensure?wait_seconds=30", IN);
            attempts++;
        } while (answer.status() == 503
                && answer.body().get("retryable").asBoolean()
                && attempts < 10);
        return answer;
    }

    @Test
    void aPermanentFillFailureIsNotRetryable() {
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
    void ensureRefusesAnEmptySource() {
        api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"empty\",\"source\":\"s3://lake/empty/\"}");

        Api.Answer answer = api.post(version("empty", "v1") + "/ensure?wait_seconds=30", IN);

        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(422);
        assertThat(answer.text("code")).isEqualTo("LAKE_EMPTY");
    }

    @Test
    void aWaitingFillShowsTheReason() {
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
    void aFillReportsThatNoAgentTakesItUp() {
        String v = version(platform.dataset(LONG), "v1");
        api.post(v + "/ensure", "{\"region\":\"" + TestControlPlane.AWAY + "\"}");

        Await.until(
                "it is noticed",
                () ->
                        isWaiting(
                                api.get(v).body().at("/regions/0/waiting"),
                                "no agent of test-2 has started 'FillFrom'"));
    }

    private static boolean isWaiting(JsonNode cause, String why) {
        return cause.path("code").asText().equals("UNAVAILABLE")
                && cause.path("message").asText().contains(why);
    }
}
