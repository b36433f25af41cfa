package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.model.DatasetName;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import dev.forebay.workflows.WorkflowIds;
import io.grpc.Status;
import io.temporal.client.schedules.ScheduleClient;
import io.temporal.client.schedules.ScheduleException;
import io.temporal.client.schedules.ScheduleHandle;
import io.temporal.serviceclient.WorkflowServiceStubs;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** Datasets that follow their source, on real servers. */
class TrackingIT {

    private static final String IN = "{\"region\":\"" + REGION + "\"}";
    private static final String NEVER_BY_ITSELF = "{\"interval_seconds\":2592000}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    private static String tracking(String dataset) {
        return "/datasets/team/" + dataset + "/tracking";
    }

    private JsonNode checked(String dataset) {
        JsonNode before = api.get(tracking(dataset)).body().at("/last_check/checked_at");
        Api.Answer asked = api.post(tracking(dataset) + "/check", "{}");
        assertThat(asked.status()).as(asked.raw().body()).isEqualTo(202);
        Await.until(
                "the check is over",
                () -> {
                    JsonNode at = api.get(tracking(dataset)).body().at("/last_check/checked_at");
                    return at.isTextual() && !at.equals(before);
                });
        return api.get(tracking(dataset)).body().get("last_check");
    }

    /** "Following the lake". */
    @Test
    void aCheckFreezesChangesAsANewVersionAndKeepsTheOldOne() {
        String name = platform.dataset(3600);
        api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN);
        JsonNode old = api.get(version(name, "v1")).body();
        Api.Answer followed = api.put(tracking(name), NEVER_BY_ITSELF);

        JsonNode same = checked(name);
        platform.put(name + "/a.txt", "another first");
        platform.put(name + "/new.txt", "new");
        JsonNode changed = checked(name);
        JsonNode explained =
                api.get("/datasets/team/%s/explain?version=v1&region=%s".formatted(name, REGION))
                        .body();
        JsonNode sameAgain = checked(name);

        assertThat(followed.status()).as(followed.raw().body()).isEqualTo(200);
        assertThat(followed.body().get("last_check").isNull()).isTrue();
        assertThat(same.get("made").isNull()).isTrue();
        assertThat(changed.get("objects_changed").asLong()).isEqualTo(1);
        assertThat(changed.get("objects_added").asLong()).isEqualTo(1);
        assertThat(explained.get("last_check")).isEqualTo(changed);
        assertThat(explained.get("sentences").toString())
                .contains("1 objects were changed, 1 added and 0 removed");
        assertThat(sameAgain.get("made").isNull()).isTrue();
        JsonNode latest = api.get(version(name, "latest")).body();
        assertThat(latest.get("version")).isEqualTo(changed.get("made"));
        assertThat(latest.at("/origin/before").asText()).isEqualTo("v1");
        assertThat(latest.at("/origin/objects_unchanged").asLong()).isEqualTo(1);
        JsonNode stillOld = api.get(version(name, "v1")).body();
        assertThat(stillOld.get("manifest")).isEqualTo(old.get("manifest"));
        assertThat(stillOld.get("origin")).isEqualTo(old.get("origin"));
        Api.Answer ensured = api.post(version(name, "latest") + "/ensure?wait_seconds=30", IN);
        assertThat(ensured.status()).as(ensured.raw().body()).isEqualTo(200);
        assertThat(ensured.body().at("/receipt/manifest_digest"))
                .isEqualTo(latest.at("/manifest/digest"));
        assertThat(ensured.body().at("/receipt/objects").asLong()).isEqualTo(3);
    }

    @Test
    void theScheduleStartsACheck() {
        String name = platform.dataset(3600);
        api.put(tracking(name), "{\"interval_seconds\":10}");

        Await.until(
                "the first version is made",
                () -> api.get(tracking(name)).body().at("/last_check/made").isTextual());

        assertThat(api.get(version(name, "latest")).body().at("/manifest/objects").asLong())
                .isEqualTo(2);
        assertThat(api.delete(tracking(name)).status()).isEqualTo(204);
    }

    @Test
    void trackingCanBePausedResumedAndRemoved() {
        String name = platform.dataset(3600);
        assertThat(api.get(tracking(name)).status()).isEqualTo(404);
        assertThat(api.post(tracking(name) + "/check", "{}").status()).isEqualTo(404);
        Api.Answer byDefault = api.put(tracking(name), "{}");
        Api.Answer paused = api.put(tracking(name), "{\"paused\":true}");
        Api.Answer slower = api.put(tracking(name), "{\"interval_seconds\":7200}");

        assertThat(byDefault.body().get("interval_seconds").asLong()).isEqualTo(3600);
        assertThat(byDefault.body().get("next_check_at").isTextual()).isTrue();
        assertThat(paused.body().get("paused").asBoolean()).isTrue();
        assertThat(paused.body().get("next_check_at").isNull()).isTrue();
        assertThat(slower.body().get("paused").asBoolean()).as("stays paused").isTrue();
        assertThat(slower.body().get("interval_seconds").asLong()).isEqualTo(7200);
        assertThat(checked(name).get("made").isTextual()).as("checks on request").isTrue();
        assertThat(api.put(tracking(name), "{\"paused\":false}").body().get("paused").asBoolean())
                .isFalse();
        assertThat(api.delete(tracking(name)).status()).isEqualTo(204);
        assertThat(api.delete(tracking(name)).status()).isEqualTo(204);
        assertThat(api.get(tracking(name)).status()).isEqualTo(404);
        assertThat(api.get("/datasets/team/" + name + "/versions").body().get("items")).hasSize(1);
    }

    /** As if a control plane had created the Schedule again while another one stopped following. */
    @Test
    void theScheduleOfAnUntrackedDatasetCreatesNothingAndIsDeleted() throws SQLException {
        String name = platform.dataset(3600);
        api.put(tracking(name), NEVER_BY_ITSELF);
        WorkflowServiceStubs stubs = platform.temporalStubs();
        try (Connection catalogue = platform.database();
                Statement statement = catalogue.createStatement()) {
            ScheduleHandle schedule = schedule(stubs, name);
            String delete = "delete from tracking where dataset = 'team/%s'".formatted(name);
            assertThat(statement.executeUpdate(delete)).isEqualTo(1);

            schedule.trigger();

            Await.until("it is deleted", () -> !exists(schedule));
        } finally {
            stubs.shutdownNow();
        }
        assertThat(api.get("/datasets/team/" + name + "/versions").body().get("items")).isEmpty();
    }

    /** As if the dataset had been deleted during an outage of Temporal. */
    @Test
    void theCheckOfADeletedDatasetDeletesItsSchedule() throws SQLException {
        String name = platform.dataset(3600);
        api.put(tracking(name), NEVER_BY_ITSELF);
        WorkflowServiceStubs stubs = platform.temporalStubs();
        try (Connection catalogue = platform.database();
                Statement statement = catalogue.createStatement()) {
            ScheduleHandle schedule = schedule(stubs, name);
            String delete =
                    "update dataset set deleted_at = now() where id = 'team/%s'".formatted(name);
            assertThat(statement.executeUpdate(delete)).isEqualTo(1);

            schedule.trigger();

            Await.until("it is deleted", () -> !exists(schedule));
        } finally {
            stubs.shutdownNow();
        }
        Await.until("it is no longer tracked", () -> api.get(tracking(name)).status() == 404);
        assertThat(api.get("/datasets/team/" + name + "/versions").body().get("items")).isEmpty();
    }

    @Test
    void aCheckKeepsAnIntervalThatIsSetMeanwhile() throws SQLException {
        String name = platform.dataset(3600);
        api.put(tracking(name), NEVER_BY_ITSELF);
        try (Connection catalogue = platform.database();
                Statement statement = catalogue.createStatement()) {
            catalogue.setAutoCommit(false);
            statement.executeUpdate(
                    "update tracking set interval_seconds = 7200 where dataset = 'team/%s'"
                            .formatted(name));
            api.post(tracking(name) + "/check", "{}");
            Await.until("the check waits for the row lock", () -> isAwaited(statement));
            catalogue.commit();
        }
        Await.until(
                "it is noted",
                () -> api.get(tracking(name)).body().at("/last_check/checked_at").isTextual());

        assertThat(api.get(tracking(name)).body().get("interval_seconds").asLong()).isEqualTo(7200);
    }

    /** Returns whether another transaction waits for a change of this one. */
    private static boolean isAwaited(Statement statement) {
        try (ResultSet found =
                statement.executeQuery(
                        """
                        select 1 from pg_stat_activity
                        where pg_backend_pid() = any(pg_blocking_pids(pid))""")) {
            return found.next();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** In the background, so that the start of a control plane does not wait for it. */
    @Test
    void aRestartRecreatesALostSchedule() {
        String name = platform.dataset(3600);
        api.put(tracking(name), "{\"interval_seconds\":7200}");
        WorkflowServiceStubs stubs = platform.temporalStubs();
        try {
            schedule(stubs, name).delete();
            Await.until("the Schedule is gone", () -> api.get(tracking(name)).status() == 404);

            platform.process.kill9();
            platform.process.restart();

            Await.until("the Schedule exists again", () -> api.get(tracking(name)).status() == 200);
        } finally {
            stubs.shutdownNow();
        }
    }

    private static ScheduleHandle schedule(WorkflowServiceStubs stubs, String dataset) {
        return ScheduleClient.newInstance(stubs)
                .getHandle(WorkflowIds.driftCheck(new DatasetName("team", dataset)));
    }

    private static boolean exists(ScheduleHandle schedule) {
        try {
            schedule.describe();
            return true;
        } catch (ScheduleException e) {
            assertThat(e).hasStackTraceContaining(Status.Code.NOT_FOUND.name());
            return false;
        }
    }

    @Test
    void aFailedCheckReportsTheReason() {
        api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"hollow\",\"source\":\"s3://lake/hollow/\"}");
        api.put(tracking("hollow"), NEVER_BY_ITSELF);

        JsonNode check = checked("hollow");

        assertThat(check.at("/problem/code").asText()).isEqualTo("LAKE_EMPTY");
        assertThat(check.get("made").isNull()).isTrue();
        assertThat(api.get("/datasets/team/hollow/versions").body().get("items")).isEmpty();
    }

    @Test
    void invalidTrackingRequestsAreRefused() {
        String name = platform.dataset(3600);
        for (String body :
                new String[] {
                    "{\"interval_seconds\":9}",
                    "{\"interval_seconds\":2592001}",
                    "{\"interval_seconds\":\"60\"}",
                    "{\"paused\":\"no\"}"
                }) {
            assertThat(api.put(tracking(name), body).status()).as(body).isEqualTo(400);
        }
        assertThat(api.put(tracking("nobody"), "{}").status()).isEqualTo(404);
        assertThat(api.get(tracking(name)).status()).isEqualTo(404);
    }
}
