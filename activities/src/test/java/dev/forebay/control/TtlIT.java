package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Time to live and evictions, through the API on real servers. */
class TtlIT {

    private static final long LONG = 3600;
    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @Test
    void evictAndResumeSucceedForAnAbsentVersion() {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        api.post(v + "/evict", IN);

        assertThat(api.post(v + "/evict", IN).status()).isEqualTo(200);
        assertThat(api.post(v + "/resume", IN).status()).isEqualTo(200);
        // The answer is the same without a workflow.
        platform.region.terminate("dataset/team/" + name + "@v1");
        assertThat(api.post(v + "/evict", IN).status()).isEqualTo(200);
        assertThat(api.post(v + "/resume", IN).status()).isEqualTo(200);
    }

    @Test
    void theTtlOfAVersionCanBeSetAfterItsWorkflowIsTerminated() {
        String name = platform.dataset(LONG);
        String v = version(name, "v1");
        api.post(v + "/ensure?wait_seconds=30", IN);
        api.post(v + "/evict", IN);
        platform.region.terminate("dataset/team/" + name + "@v1");

        Api.Answer answer = api.put(v + "/ttl", "{\"ttl_seconds\":77}");

        assertThat(answer.body().path("ttl_seconds").asLong()).isEqualTo(77);
    }

    @Test
    void theScheduledSweepEvictsAnExpiredVersion() {
        String v = version(platform.dataset(1), "v1");

        api.post(v + "/ensure?wait_seconds=30", IN);

        platform.sweepEvery(Duration.ofSeconds(1));
        try {
            Await.until(
                    "evicted by the sweep",
                    () -> api.get(v).body().at("/regions/0/state").asText().equals("ABSENT"));
        } finally {
            platform.sweepEvery(TestControlPlane.SELDOM);
        }
    }

    @Test
    void aVersionCanHaveItsOwnTtl() {
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
    void concurrentChangesOfTtlAndTtlAfterDoNotOverwriteEachOther() throws Exception {
        String dataset = "team/" + platform.dataset(LONG);
        String ttl = "/datasets/" + dataset + "/ttl";
        List<Future<Api.Answer>> answers = new ArrayList<>();
        // Resources close in reverse order: the row is unlocked first, so that the callers can end.
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
                    "both changes wait for the row lock",
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
}
