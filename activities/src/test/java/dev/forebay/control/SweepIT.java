package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Sweeps evict expired versions and versions of deleted datasets, on real servers. */
class SweepIT extends SweepFixture {

    /** "Sweeps". */
    @Test
    void aDryRunShowsVictimsAndReasonsAndASweepEvictsThem() {
        pause("somebody looks");
        String name = platform.dataset(1);
        String v = ensured(name);
        Await.until("it has expired", () -> find(victims(), name).isPresent());

        JsonNode victim = of(victims(), name);
        assertThat(victim.get("reason").asText()).isEqualTo("EXPIRED");
        assertThat(victim.get("why").asText()).contains("it was not pinned since");
        assertThat(state(v)).isEqualTo("CACHED");

        Api.Answer swept = api.post(SWEEP, "");

        assertThat(swept.status()).as(swept.raw().body()).isEqualTo(200);
        JsonNode outcome = of(swept.body().get("outcomes"), name);
        assertThat(outcome.get("evicted").asBoolean()).isTrue();
        assertThat(outcome.get("reason").asText()).isEqualTo("EXPIRED");
        assertThat(swept.text("workflow_url")).startsWith(platform.temporal.ui().toString());
        assertThat(state(v)).isEqualTo("ABSENT");
        Await.until("the catalogue knows", () -> find(victims(), name).isEmpty());
    }

    @Test
    void aPausedRegionIsNotSweptAndShowsTheReason() {
        pause("the lake is slow");
        String v = ensured(platform.dataset(1));

        Api.Answer schedule = api.get(SWEEP);
        assertThat(schedule.status()).as(schedule.raw().body()).isEqualTo(200);
        assertThat(schedule.body().get("paused").asBoolean()).isTrue();
        assertThat(schedule.text("note")).isEqualTo("the lake is slow");
        assertThat(schedule.body().get("interval_seconds").asLong())
                .isEqualTo(INTERVAL.toSeconds());
        assertThat(schedule.body().get("next_at").isNull()).isTrue();
        Instant expired = Instant.parse(evictableAt(v));
        Await.until(
                "its time has passed, and that of three sweeps",
                () -> Instant.now().isAfter(expired.plusSeconds(3)));
        assertThat(state(v)).isEqualTo("CACHED");

        Api.Answer resumed = api.post(SWEEP + "/resume", "{}");

        assertThat(resumed.body().get("paused").asBoolean(true)).isFalse();
        assertThat(resumed.body().get("next_at").isNull()).isFalse();
        Await.until("it is swept", () -> state(v).equals("ABSENT"));
        assertThat(api.get(SWEEP).body().get("last_at").isNull()).isFalse();
    }

    /** A control plane changes the Schedules of all regions when it starts. */
    @Test
    void aPauseSurvivesAScheduleChangeJustBeforeIt() {
        for (int round = 0; round < 20; round++) {
            platform.sweepEvery(INTERVAL);
            pause("round " + round);
            JsonNode schedule = api.get(SWEEP).body();
            assertThat(schedule.get("paused").asBoolean()).as("round %s", round).isTrue();
            assertThat(schedule.get("note").asText()).isEqualTo("round " + round);
            assertThat(api.post(SWEEP + "/resume", "{}").status()).isEqualTo(200);
        }
    }

    /** "Deleted datasets". */
    @Test
    void aSweepEvictsVersionsOfADeletedDatasetOnceTheyAreUnpinned() {
        String name = platform.dataset(LONG);
        String dataset = "/datasets/team/" + name;
        String free = ensured(name, "v1");
        String held = ensured(name, "v2");
        pin(held, "alive-p");
        assertThat(api.put(dataset + "/tracking", "{}").status()).isEqualTo(200);

        assertThat(api.delete(dataset).status()).isEqualTo(204);
        assertThat(api.delete(dataset).status()).isEqualTo(204);

        Await.until("the unpinned version is evicted", () -> state(free).equals("ABSENT"));
        assertThat(state(held)).isEqualTo("CACHED");
        assertThat(api.post(held + "/pins/alive-p/renew", IN).status()).isEqualTo(200);
        assertThat(api.get(dataset).body().get("deleted_at").isNull()).isFalse();
        assertThat(api.get("/datasets?namespace=team&limit=1000").body().get("items"))
                .extracting(item -> item.get("name").asText())
                .doesNotContain(name);
        assertThat(api.post(free + "/ensure", IN).text("detail")).contains("was deleted");
        assertThat(api.post(free + "/plan", "{}").text("detail")).contains("was deleted");
        assertThat(api.post(free + "/freeze", "").text("detail")).contains("was deleted");
        assertThat(api.get(dataset + "/tracking").status()).isEqualTo(404);
        assertThat(api.put(dataset + "/tracking", "{}").text("detail")).contains("was deleted");
        assertThat(
                        api.post(
                                        held + "/pins",
                                        IN.replace("}", ",\"holder\":\"me\",\"lease_seconds\":60}"))
                                .text("detail"))
                .contains("was deleted");
        assertThat(api.delete(held + "/pins/alive-p?region=" + REGION).status()).isEqualTo(204);
        Await.until("the released version is evicted", () -> state(held).equals("ABSENT"));

        String body = "{\"namespace\":\"team\",\"name\":\"%s\",\"source\":\"s3://lake/%s/\"}";
        Api.Answer other = api.post("/datasets", body.formatted(name, "other"));
        Api.Answer same = api.post("/datasets", body.formatted(name, name));
        assertThat(other.status()).isEqualTo(409);
        assertThat(same.status()).as(same.raw().body()).isEqualTo(201);
        assertThat(same.body().get("deleted_at").isNull()).isTrue();
        assertThat(api.post(free + "/ensure?wait_seconds=30", IN).status()).isEqualTo(200);
        assertThat(api.delete("/datasets/team/never").status()).isEqualTo(404);
    }

    /** "Time to live". */
    @Test
    void readsExtendTheTimeToLiveOfADatasetWithTtlAfterRead() {
        pause("until the reads are known");
        String name = platform.dataset(2, "read");
        String v = ensured(name);
        Instant first = Instant.parse(evictableAt(v));
        platform.gateway.setUsage(usage(name, 5, 100, "0"));
        api.post(SWEEP + "/resume", "{}");

        Await.until(
                "reads have moved the end of its time twice",
                () -> Instant.parse(evictableAt(v)).isAfter(first.plusSeconds(4)));
        assertThat(state(v)).isEqualTo("CACHED");
        assertThat(api.get("/datasets/team/" + name).text("ttl_after")).isEqualTo("read");

        platform.gateway.setUsage(usage(name, 5, 100, "7"));
        Await.until("it expires without reads", () -> state(v).equals("ABSENT"));
    }
}
