package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.testing.Api;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.testing.Await;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** "Clocks that differ": two replicas of a control plane whose clocks differ by a minute. */
class ReplicaClocksIT {

    private static final long LONG = 3600;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static final TestControlPlane PLATFORM = TestControlPlane.shared();

    @SuppressWarnings("NullAway.Init")
    private static ApplicationProcess ahead;

    private final Api api = PLATFORM.api;
    private final Api other = new Api(ahead.address().resolve("/api/v1"));

    @BeforeAll
    static void startAnother() {
        ahead = PLATFORM.replicaAhead("ahead", MINUTE);
    }

    @AfterAll
    static void stopIt() {
        ahead.close();
    }

    /** "Which version is meant". */
    @Test
    void latestIsTheLastVersionDespiteClocksThatDiffer() {
        String name = PLATFORM.dataset(LONG);
        ensure(other, name, "first", "run");
        ensure(api, name, "second", "run");

        assertThat(api.get(version(name, "latest")).text("version")).isEqualTo("second");
    }

    /** "Bytes in a receipt". */
    @Test
    void aFillIsChargedToItsRunDespiteClocksThatDiffer() {
        String name = PLATFORM.dataset(LONG);
        ensure(other, name, "v1", "train-1");

        PLATFORM.gateway.says(
                "clocks",
                """
                {"id":"%s","version":"team/%s@v1","closed":false,"revision":1,"age_millis":0,
                "lake_requests":2,"lake_bytes":100,"peer_requests":0,"peer_bytes":0,
                "served_requests":0,"served_bytes":0,"held_byte_seconds":0.0}"""
                        .formatted(UUID.randomUUID(), name));
        Await.until("it is noted", () -> run(name).at("/lake/bytes").asLong() == 100);

        assertThat(run(name).get("key").asText()).isEqualTo("train-1");
    }

    private JsonNode run(String name) {
        return api.get("/costs?by=run&dataset=team/" + name).body().at("/items/0");
    }

    private static void ensure(Api where, String name, String version, String run) {
        Api.Answer answer =
                where.post(
                        version(name, version) + "/ensure?wait_seconds=30",
                        "{\"region\":\"%s\",\"run_id\":\"%s\",\"create\":true}"
                                .formatted(REGION, run));
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
    }
}
