package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import dev.forebay.workflows.EvictionSweepWorkflow;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowIds;
import io.grpc.Status;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.schedules.Schedule;
import io.temporal.client.schedules.ScheduleActionStartWorkflow;
import io.temporal.client.schedules.ScheduleClient;
import io.temporal.client.schedules.ScheduleException;
import io.temporal.client.schedules.ScheduleHandle;
import io.temporal.client.schedules.ScheduleOptions;
import io.temporal.client.schedules.ScheduleSpec;
import io.temporal.serviceclient.WorkflowServiceStubs;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What goes from a region without anybody naming it, on a real Temporal and PostgreSQL. */
class SweepIT {

    private static final long LONG = 3600;
    private static final String IN = "{\"region\":\"" + REGION + "\"}";
    private static final String SWEEP = "/regions/" + REGION + "/sweep";

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @BeforeEach
    void sweepOften() {
        platform.sweepEvery(INTERVAL);
    }

    @AfterEach
    void reset() {
        platform.sweepEvery(TestControlPlane.SELDOM);
        platform.gateway.resetUsage();
        api.post(SWEEP + "/resume", "{}");
    }

    /** "Sweeps". */
    @Test
    void aDryRunShowsVictimsAndReasonsAndASweepEvictsThem() {
        pause("somebody looks");
        String name = platform.dataset(1);
        String v = ensured(name);
        Await.until("it has expired", () -> find(victims(), name).isPresent());

        JsonNode victim = of(victims(), name);
        assertThat(victim.get("reason").asText()).isEqualTo("EXPIRED");
        assertThat(victim.get("why").asText()).contains("nobody has held it since");
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
    void aPausedRegionIsNotSweptAndSaysWhy() {
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

    /** "Deleted datasets". */
    @Test
    void whatBelongsToADeletedDatasetGoesOnceNobodyHoldsIt() {
        String name = platform.dataset(LONG);
        String dataset = "/datasets/team/" + name;
        String free = ensured(name, "v1");
        String held = ensured(name, "v2");
        pin(held, "alive-p");
        assertThat(api.put(dataset + "/tracking", "{}").status()).isEqualTo(200);

        assertThat(api.delete(dataset).status()).isEqualTo(204);
        assertThat(api.delete(dataset).status()).isEqualTo(204);

        Await.until("what is free is gone", () -> state(free).equals("ABSENT"));
        assertThat(state(held)).isEqualTo("CACHED");
        assertThat(api.post(held + "/pins/alive-p/renew", IN).status()).isEqualTo(200);
        assertThat(api.get(dataset).body().get("deleted_at").isNull()).isFalse();
        assertThat(api.get("/datasets?namespace=team&limit=1000").body().get("items"))
                .extracting(item -> item.get("name").asText())
                .doesNotContain(name);
        assertThat(api.post(free + "/ensure", IN).text("detail")).contains("was deleted");
        assertThat(api.get(dataset + "/tracking").status()).isEqualTo(404);
        assertThat(api.put(dataset + "/tracking", "{}").text("detail")).contains("was deleted");
        assertThat(
                        api.post(
                                        held + "/pins",
                                        IN.replace("}", ",\"holder\":\"me\",\"lease_seconds\":60}"))
                                .text("detail"))
                .contains("was deleted");
        assertThat(api.delete(held + "/pins/alive-p?region=" + REGION).status()).isEqualTo(204);
        Await.until("what was held is gone", () -> state(held).equals("ABSENT"));

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
    void whatIsReadStaysWhereTheDatasetSaysSo() {
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
        Await.until("nobody reads it any more", () -> state(v).equals("ABSENT"));
    }

    @Test
    void aRegionThatIsTooFullGivesUpWhatNobodyHolds() {
        pause("until both are there");
        String free = platform.dataset(LONG);
        String held = platform.dataset(LONG);
        String gone = ensured(free);
        String stays = ensured(held);
        pin(stays, "p");
        platform.gateway.setUsage(usageOfBoth(free, held, 100));

        awaitOnly(free, held);

        JsonNode plan = api.get(SWEEP + "/plan").body();
        assertThat(of(plan.get("victims"), free).get("reason").asText()).isEqualTo("WATERMARK");
        assertThat(of(plan.get("victims"), free).get("bytes").asLong()).isEqualTo(40);
        assertThat(of(plan.get("victims"), free).get("why").asText()).contains("95.0 % full");
        assertThat(find(plan.get("victims"), held)).isEmpty();
        assertThat(plan.get("used_bytes").asLong()).isEqualTo(95);

        sweepNow();

        assertThat(state(gone)).isEqualTo("ABSENT");
        assertThat(state(stays)).isEqualTo("CACHED");
        api.delete(stays + "/pins/p?region=" + REGION);
    }

    /** "Quotas". */
    @Test
    void aNamespaceThatHasMoreThanItsQuotaGivesUpWhatNobodyHolds() {
        pause("until both are there");
        String free = platform.dataset(LONG);
        String held = platform.dataset(LONG);
        String gone = ensured(free);
        String stays = ensured(held);
        pin(stays, "p");
        platform.gateway.setUsage(usageOfBoth(free, held, 1000));
        String quota = "/namespaces/team/quota";
        api.put(quota, "{\"bytes\":95}");
        try {
            assertThat(find(victims(), free)).isEmpty();
            api.put(quota, "{\"region\":\"" + REGION + "\",\"bytes\":60}");
            awaitOnly(free, held);

            JsonNode plan = api.get(SWEEP + "/plan").body();
            assertThat(of(plan.get("victims"), free).get("reason").asText()).isEqualTo("QUOTA");
            assertThat(find(plan.get("victims"), held)).isEmpty();

            sweepNow();

            assertThat(state(gone)).isEqualTo("ABSENT");
            assertThat(state(stays)).isEqualTo("CACHED");
        } finally {
            api.delete(quota);
            api.delete(quota + "?region=" + REGION);
            api.delete(stays + "/pins/p?region=" + REGION);
        }
    }

    @Test
    void whatNoVersionOwnsGoes() {
        pause("until it is there");
        String owned = platform.dataset(LONG);
        String v = ensured(owned);
        platform.gateway.setUsage(
                """
                {"capacity_bytes":100,"used_bytes":50,"orphan_bytes":0,"unknown":[],
                "versions":[%s,%s],"shares":[{"bytes":40,"owners":[0]},{"bytes":10,"owners":[1]}]}"""
                        .formatted(mounted("nobodys", "null"), mounted(owned, "null")));
        awaitOnly("nobodys", owned);

        JsonNode plan = api.get(SWEEP + "/plan").body();
        assertThat(of(plan.get("victims"), "nobodys").get("reason").asText()).isEqualTo("ORPHAN");
        assertThat(find(plan.get("victims"), owned)).isEmpty();
        JsonNode outcome = of(api.post(SWEEP, "").body().get("outcomes"), "nobodys");

        assertThat(outcome.get("evicted").asBoolean()).isTrue();
        assertThat(platform.region.hasDropped(DatasetVersion.of("team", "nobodys", "v1"))).isTrue();
        assertThat(state(v)).isEqualTo("CACHED");
    }

    @Test
    void aRegionWhoseAgentIsAwayIsPlannedAsFarAsItIsKnown() {
        Api.Answer plan = api.get("/regions/" + TestControlPlane.AWAY + "/sweep/plan");

        assertThat(plan.status()).as(plan.raw().body()).isEqualTo(200);
        assertThat(plan.body().at("/notes/0").asText()).contains("agent of region test-2");
        assertThat(plan.body().get("used_bytes").isNull()).isTrue();
        assertThat(api.get("/regions/nowhere/sweep/plan").text("code")).isEqualTo("UNKNOWN_REGION");
    }

    @Test
    void aRegionThatWasTakenOutIsSweptNoMore() throws SQLException {
        // A sweep that is killed is given up after 20 s only, and holds up the next test.
        platform.sweepEvery(TestControlPlane.SELDOM);
        RegionName out = new RegionName("taken-out");
        String name = platform.dataset(LONG);
        try (Connection catalogue = platform.database();
                Statement statement = catalogue.createStatement()) {
            statement.executeUpdate(
                    """
                    insert into version (id, dataset, ttl_seconds, created_at)
                    values ('team/%1$s@v1', 'team/%1$s', 60, now())"""
                            .formatted(name));
            statement.executeUpdate(
                    """
                    insert into residency
                      (version, region, state, bytes_cached, bytes_from_lake, evictable_at)
                    values ('team/%s@v1', '%s', 'CACHED', 5, 5, now() - interval '1 day')"""
                            .formatted(name, out));
        }
        WorkflowServiceStubs stubs = platform.temporalStubs();
        try {
            WorkflowOptions options =
                    WorkflowOptions.newBuilder()
                            .setWorkflowId(WorkflowIds.sweepNow(out))
                            .setTaskQueue(TaskQueues.LIFECYCLE)
                            .setWorkflowExecutionTimeout(Duration.ofSeconds(30))
                            .build();
            ScheduleHandle schedule =
                    ScheduleClient.newInstance(stubs)
                            .createSchedule(
                                    WorkflowIds.sweep(out),
                                    Schedule.newBuilder()
                                            .setAction(
                                                    ScheduleActionStartWorkflow.newBuilder()
                                                            .setWorkflowType(
                                                                    EvictionSweepWorkflow.class)
                                                            .setArguments(out)
                                                            .setOptions(options)
                                                            .build())
                                            .setSpec(ScheduleSpec.newBuilder().build())
                                            .build(),
                                    ScheduleOptions.newBuilder().build());

            assertThat(
                            WorkflowClient.newInstance(stubs)
                                    .newWorkflowStub(EvictionSweepWorkflow.class, options)
                                    .run(out))
                    .isEmpty();
            assertThat(
                            platform.region.hasWorkflow(
                                    WorkflowIds.version(DatasetVersion.of("team", name, "v1"))))
                    .isFalse();

            Await.until(
                    "Temporal lists it",
                    () ->
                            ScheduleClient.newInstance(stubs)
                                    .listSchedules()
                                    .anyMatch(
                                            each ->
                                                    each.getScheduleId()
                                                            .equals(WorkflowIds.sweep(out))));
            platform.process.kill9();
            platform.process.restart();

            Await.until("its Schedule is deleted", () -> isGone(schedule));
            assertThat(api.get(SWEEP).status()).isEqualTo(200);
        } finally {
            stubs.shutdownNow();
        }
    }

    private static boolean isGone(ScheduleHandle schedule) {
        try {
            return schedule.describe() == null;
        } catch (ScheduleException e) {
            assertThat(e).hasStackTraceContaining(Status.Code.NOT_FOUND.name());
            return true;
        }
    }

    /** Plans are made from the catalogue, which is told of residencies and pins soon after. */
    private void awaitOnly(String victim, String spared) {
        Await.until(
                "the catalogue knows",
                () -> {
                    JsonNode victims = victims();
                    return find(victims, victim).isPresent() && find(victims, spared).isEmpty();
                });
    }

    private void pause(String why) {
        Api.Answer paused = api.post(SWEEP + "/pause", "{\"reason\":\"" + why + "\"}");
        assertThat(paused.status()).as(paused.raw().body()).isEqualTo(200);
    }

    private String ensured(String name) {
        return ensured(name, "v1");
    }

    private String ensured(String name, String version) {
        String v = version(name, version);
        Api.Answer answer = api.post(v + "/ensure?wait_seconds=30", IN);
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        return v;
    }

    private void pin(String v, String id) {
        Api.Answer pin =
                api.post(
                        v + "/pins",
                        "{\"region\":\"%s\",\"id\":\"%s\",\"holder\":\"me\",\"lease_seconds\":600}"
                                .formatted(REGION, id));
        assertThat(pin.status()).as(pin.raw().body()).isEqualTo(201);
    }

    /** Asks again if Temporal takes too long to answer, as the answer says. */
    private void sweepNow() {
        Await.until("it is swept", () -> api.post(SWEEP, "").status() == 200);
    }

    private String state(String v) {
        return api.get(v).body().at("/regions/0/state").asText();
    }

    private String evictableAt(String v) {
        return api.get(v).body().at("/regions/0/evictable_at").asText();
    }

    private JsonNode victims() {
        return api.get(SWEEP + "/plan").body().get("victims");
    }

    private static JsonNode of(JsonNode items, String name) {
        return find(items, name).orElseThrow();
    }

    private static Optional<JsonNode> find(JsonNode items, String name) {
        return StreamSupport.stream(items.spliterator(), false)
                .filter(item -> item.get("dataset").asText().equals("team/" + name))
                .findFirst();
    }

    private static String usage(String name, long used, long capacity, String secondsSinceRead) {
        return """
                {"capacity_bytes":%d,"used_bytes":%d,"orphan_bytes":0,"unknown":[],
                "versions":[%s],"shares":[{"bytes":%d,"owners":[0]}]}"""
                .formatted(capacity, used, mounted(name, secondsSinceRead), used);
    }

    /** 40 bytes are of the one, 55 of the other. */
    private static String usageOfBoth(String one, String other, long capacity) {
        return """
                {"capacity_bytes":%d,"used_bytes":95,"orphan_bytes":0,"unknown":[],
                "versions":[%s,%s],"shares":[{"bytes":40,"owners":[0]},{"bytes":55,"owners":[1]}],
                "room_bytes":{"team":95}}"""
                .formatted(capacity, mounted(one, "null"), mounted(other, "null"));
    }

    private static String mounted(String name, String secondsSinceRead) {
        return """
                {"version":{"dataset":{"namespace":"team","name":"%s"},"version":"v1"},
                "manifest":{"uri":"s3://m/k","digest":{"hex":"%s"},"objects":1,"bytes":5,"chunks":1},
                "evicting":false,"pinned":false,"seconds_since_read":%s}"""
                .formatted(name, "ab".repeat(32), secondsSinceRead);
    }
}
