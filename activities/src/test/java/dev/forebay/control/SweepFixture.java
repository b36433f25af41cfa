package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import io.grpc.Status;
import io.temporal.client.schedules.ScheduleException;
import io.temporal.client.schedules.ScheduleHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Sweeps a region of the shared control plane once a second while a test runs. */
abstract class SweepFixture {

    static final long LONG = 3600;
    static final String IN = "{\"region\":\"" + REGION + "\"}";
    static final String SWEEP = "/regions/" + REGION + "/sweep";

    static final Duration INTERVAL = Duration.ofSeconds(1);

    final TestControlPlane platform = TestControlPlane.shared();
    final Api api = platform.api;

    @BeforeEach
    void sweepOften() {
        platform.sweepEvery(INTERVAL);
    }

    @AfterEach
    void reset() {
        platform.sweepEvery(TestControlPlane.SELDOM);
        platform.gateway.resetUsage();
        platform.gateway.setSurvey("{}");
        api.post(SWEEP + "/resume", "{}");
    }

    static boolean isGone(ScheduleHandle schedule) {
        try {
            return schedule.describe() == null;
        } catch (ScheduleException e) {
            assertThat(e).hasStackTraceContaining(Status.Code.NOT_FOUND.name());
            return true;
        }
    }

    /**
     * Waits until the plan contains only the victim: the catalogue gets residencies and pins a
     * moment later.
     */
    void awaitOnly(String victim, String spared) {
        Await.until(
                "the catalogue knows",
                () -> {
                    JsonNode victims = victims();
                    return find(victims, victim).isPresent() && find(victims, spared).isEmpty();
                });
    }

    void pause(String why) {
        Api.Answer paused = api.post(SWEEP + "/pause", "{\"reason\":\"" + why + "\"}");
        assertThat(paused.status()).as(paused.raw().body()).isEqualTo(200);
    }

    String ensured(String name) {
        return ensured(name, "v1");
    }

    String ensured(String name, String version) {
        String v = version(name, version);
        Api.Answer answer =
                api.post(v + "/ensure?wait_seconds=30", IN.replace("}", ",\"create\":true}"));
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        return v;
    }

    void pin(String v, String id) {
        Api.Answer pin =
                api.post(
                        v + "/pins",
                        "{\"region\":\"%s\",\"id\":\"%s\",\"holder\":\"me\",\"lease_seconds\":600}"
                                .formatted(REGION, id));
        assertThat(pin.status()).as(pin.raw().body()).isEqualTo(201);
    }

    /** Repeats the request while Temporal takes too long to answer. */
    void sweepNow() {
        Await.until("it is swept", () -> api.post(SWEEP, "").status() == 200);
    }

    String state(String v) {
        return api.get(v).body().at("/regions/0/state").asText();
    }

    String evictableAt(String v) {
        return api.get(v).body().at("/regions/0/evictable_at").asText();
    }

    JsonNode victims() {
        return api.get(SWEEP + "/plan").body().get("victims");
    }

    static JsonNode of(JsonNode items, String name) {
        return find(items, name).orElseThrow();
    }

    static Optional<JsonNode> find(JsonNode items, String name) {
        return StreamSupport.stream(items.spliterator(), false)
                .filter(item -> item.get("dataset").asText().equals("team/" + name))
                .findFirst();
    }

    static String usage(String name, long used, long capacity, String secondsSinceRead) {
        return """
                {"capacity_bytes":%d,"used_bytes":%d,"orphan_bytes":0,"unknown":[],
                "versions":[%s],"shares":[{"bytes":%d,"owners":[0]}]}"""
                .formatted(capacity, used, mounted(name, secondsSinceRead), used);
    }

    /** The first dataset has 40 bytes, the second one 55. */
    static String usageOfBoth(String one, String other, long capacity) {
        return """
                {"capacity_bytes":%d,"used_bytes":95,"orphan_bytes":0,"unknown":[],
                "versions":[%s,%s],"shares":[{"bytes":40,"owners":[0]},{"bytes":55,"owners":[1]}],
                "space_bytes":{"team":95}}"""
                .formatted(capacity, mounted(one, "null"), mounted(other, "null"));
    }

    static String mounted(String name, String secondsSinceRead) {
        return """
                {"version":{"dataset":{"namespace":"team","name":"%s"},"version":"v1"},
                "manifest":{"uri":"s3://m/k","digest":{"hex":"%s"},"objects":1,"bytes":5,"chunks":1},
                "evicting":false,"pinned":false,"seconds_since_read":%s}"""
                .formatted(name, "ab".repeat(32), secondsSinceRead);
    }
}
