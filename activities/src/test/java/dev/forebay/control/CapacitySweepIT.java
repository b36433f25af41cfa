package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import dev.forebay.workflows.EvictionSweepWorkflow;
import dev.forebay.workflows.TaskQueues;
import dev.forebay.workflows.WorkflowIds;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.schedules.Schedule;
import io.temporal.client.schedules.ScheduleActionStartWorkflow;
import io.temporal.client.schedules.ScheduleClient;
import io.temporal.client.schedules.ScheduleHandle;
import io.temporal.client.schedules.ScheduleOptions;
import io.temporal.client.schedules.ScheduleSpec;
import io.temporal.serviceclient.WorkflowServiceStubs;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Sweeps free capacity of full regions and namespaces, and remove what no version owns. */
class CapacitySweepIT extends SweepFixture {

    @Test
    void aSweepOfAFullRegionEvictsTheUnpinnedVersion() {
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
    void aSweepEvictsTheUnpinnedVersionOfANamespaceAboveItsQuota() {
        pause("until both are there");
        String free = platform.dataset(LONG);
        String held = platform.dataset(LONG);
        String gone = ensured(free);
        String stays = ensured(held);
        pin(stays, "p");
        platform.gateway.setUsage(usageOfBoth(free, held, 1000));
        platform.gateway.setSurvey(
                """
                {"capacity_bytes":1000,"taken_bytes":95,"residents":[%s,%s]}"""
                        .formatted(resident(free, 40, 0), resident(held, 55, 1)));
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

    private static String resident(String name, long bytes, int pins) {
        return """
        {"version":"team/%s@v1","bytes":5,"objects":1,"space_bytes":%d,"state":"CACHED","pins":%d}"""
                .formatted(name, bytes, pins);
    }

    @Test
    void aSweepEvictsAnOrphanAndKeepsTheOwnedVersion() {
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
    void aSweepPlanWithoutTheAgentNotesThatTheUsageIsUnknown() {
        Api.Answer plan = api.get("/regions/" + TestControlPlane.AWAY + "/sweep/plan");

        assertThat(plan.status()).as(plan.raw().body()).isEqualTo(200);
        assertThat(plan.body().at("/notes/0").asText()).contains("agent of region test-2");
        assertThat(plan.body().get("used_bytes").isNull()).isTrue();
        assertThat(api.get("/regions/nowhere/sweep/plan").text("code")).isEqualTo("UNKNOWN_REGION");
    }

    @Test
    void aSweepOfARemovedRegionEvictsNothingAndARestartDeletesItsSchedule() throws SQLException {
        // Temporal gives up a killed sweep only after 20 s, which would delay the next test.
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
}
