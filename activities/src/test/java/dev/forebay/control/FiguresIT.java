package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.AWAY;
import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalDouble;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The control plane's metrics of regions, on real servers with a region in memory. */
class FiguresIT {

    private static final long LONG = 3600;
    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;
    private final Api root = new Api(platform.process.address());

    @Test
    void versionsAreCountedByTheirState() throws SQLException {
        String blocked = labels("region", AWAY, "state", "blocked");
        String cached = labels("region", AWAY, "state", "cached");
        // Other tests may have left versions there.
        double isBlocked = shown("forebay_control_versions" + blocked);
        double isCached = shown("forebay_control_versions" + cached);
        double bytes = shown("forebay_control_version_bytes" + cached);
        String name = platform.dataset(LONG);
        isIn(AWAY, name, "v1", "'BLOCKED', 3");
        isIn(AWAY, name, "v2", "'CACHED', 40");
        isIn(AWAY, name, "v3", "'CACHED', 50");
        try {
            awaitThat("forebay_control_versions" + blocked, isBlocked + 1);
            awaitThat("forebay_control_versions" + cached, isCached + 2);
            awaitThat("forebay_control_version_bytes" + cached, bytes + 90);
        } finally {
            leaves(name);
        }
        awaitThat("forebay_control_versions" + blocked, isBlocked);
        awaitThat("forebay_control_versions" + cached, isCached);
    }

    @Test
    void aMetricReportsTheAgeOfAStalledFill() throws SQLException {
        String unchanged = "forebay_control_fill_unchanged_seconds" + labels("region", AWAY);
        String warming = "forebay_control_versions" + labels("region", AWAY, "state", "warming");
        awaitThat(unchanged, 0);
        double isWarming = shown(warming);
        String name = platform.dataset(LONG);
        isIn(AWAY, name, "v1", "'WARMING', 3");
        awaitThat(warming, isWarming + 1);
        assertThat(metric(unchanged)).as("while it waits for capacity").hasValue(0);
        try {
            change(
                    """
                    update residency set filling_since = now() - interval '3 hours',
                      changed_at = now() - interval '2 hours' where version = 'team/%s@v1'"""
                            .formatted(name));

            Await.until("the metric shows the age", () -> metric(unchanged).orElse(0) >= 7200);
            assertThat(metric(unchanged).orElseThrow()).isLessThan(7300);
        } finally {
            leaves(name);
        }
        awaitThat(unchanged, 0);
    }

    /**
     * A projection without changes does not write the row, so its age counts from the last change.
     */
    @Test
    void theAgeOfARowCountsFromItsLastChange() throws SQLException {
        String name = platform.dataset(LONG);
        platform.region.shut();
        try {
            api.post(version(name, "v1") + "/ensure?wait_seconds=0", IN);
            Await.until(
                    "it is being filled", () -> changedAgo(name, REGION, "filling_since") < LONG);
            change(
                    """
                    update residency set changed_at = now() - interval '2 hours'
                    where version = 'team/%s@v1'"""
                            .formatted(name));
        } finally {
            platform.region.open();
        }
        Await.until(
                "the fill has made progress", () -> changedAgo(name, REGION, "cached_at") < LONG);
    }

    @Test
    void aMetricReportsThatTemporalIsConnected() {
        awaitThat("forebay_control_temporal_connected", 1);
    }

    @Test
    void aMetricCountsAWaitingRequestUntilItIsAnswered() {
        String requests = "forebay_control_waiting_requests" + labels("region", REGION);
        String name = platform.dataset(LONG);
        // Requests of other tests would count for two minutes.
        platform.process.kill9();
        platform.process.restart();
        String request;
        platform.region.shut();
        try {
            request =
                    api.post(version(name, "v1") + "/ensure?wait_seconds=0", IN).text("request_id");
            api.post(
                    version(name, "v2") + "/ensure?wait_seconds=0",
                    IN.replace("}", ",\"priority\":\"speculative\",\"create\":true}"));

            assertThat(metric(requests)).hasValue(1);
            Await.until(
                    "it has waited",
                    () ->
                            metric("forebay_control_waiting_seconds" + labels("region", REGION))
                                            .orElse(0)
                                    >= 1);
        } finally {
            platform.region.open();
        }
        Await.until(
                "it is answered",
                () ->
                        api.get(version(name, "v1") + "/requests/" + request + "?wait_seconds=10")
                                .body()
                                .path("done")
                                .asBoolean());
        assertThat(metric(requests)).hasValue(0);
    }

    @Test
    void aMetricCountsLeakedPinsOfRegionsThatAnswer() {
        String unknown =
                "forebay_control_leaked_pins" + labels("leak", "unknown", "region", REGION);
        String name = platform.dataset(LONG);
        api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN);
        platform.gateway.setPins(
                """
                {"pins":[{"version":{"dataset":{"namespace":"team","name":"%s"},"version":"v1"},"id":"lost",
                "holder":"me","reason":"","lease_seconds":600,"remaining_seconds":500,"job":null}]}"""
                        .formatted(name));
        try {
            awaitThat(unknown, 1);
            awaitThat(unknown.replace("unknown", "not_renewed"), 0);
        } finally {
            platform.gateway.setPins("{\"pins\":[]}");
        }
        awaitThat(unknown, 0);
        assertThat(metric(unknown.replace(REGION, AWAY))).isEmpty();
    }

    @Test
    void metricsReportTheBytesAndCostsOfTheLedger() {
        String lake = "forebay_control_ledger_bytes" + labels("region", REGION, "source", "lake");
        String cost = "forebay_control_ledger_cost" + labels("kind", "lake", "region", REGION);
        double bytes = shown(lake);
        double price = shown(cost);
        String version = "team/%s@v1".formatted(platform.dataset(LONG));
        platform.gateway.says(
                "figures",
                """
                {"id":"%s","version":"%s","closed":false,"revision":1,"age_millis":0,
                "lake_requests":10,"lake_bytes":5000000000,"peer_requests":0,"peer_bytes":0,
                "served_requests":1,"served_bytes":7,"held_byte_seconds":1.0}"""
                        .formatted(UUID.randomUUID(), version));

        // Other accounts may be entered meanwhile.
        Await.until("it is noted", () -> metric(lake).orElse(0) >= bytes + 5e9);
        Await.until(
                "it is priced, 5 GB at 0.1", () -> metric(cost).orElse(0) >= price + 0.5 - 1e-9);
    }

    private void awaitThat(String series, double value) {
        Await.until(
                series + " is " + value,
                () -> {
                    OptionalDouble found = metric(series);
                    return found.isPresent() && found.getAsDouble() == value;
                });
    }

    private double shown(String series) {
        Await.until(series + " is shown", () -> metric(series).isPresent());
        return metric(series).orElseThrow();
    }

    private OptionalDouble metric(String series) {
        return root.get("/q/metrics")
                .raw()
                .body()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst();
    }

    /** Returns labels in the order of their names, as the endpoint writes them. */
    private static String labels(String... pairs) {
        StringBuilder labels = new StringBuilder("{");
        for (int i = 0; i < pairs.length; i += 2) {
            labels.append(i == 0 ? "" : ",").append(pairs[i]).append("=\"").append(pairs[i + 1]);
            labels.append('"');
        }
        return labels.append('}').toString();
    }

    private void isIn(String region, String dataset, String version, String stateAndBytes)
            throws SQLException {
        String id = "team/" + dataset + "@" + version;
        change(
                """
                insert into version (id, dataset, ttl_seconds, created_at)
                values ('%s', 'team/%s', 60, now())"""
                        .formatted(id, dataset));
        change(
                """
                insert into residency (version, region, state, bytes_cached, bytes_from_lake)
                values ('%s', '%s', %s, 0)"""
                        .formatted(id, region, stateAndBytes));
    }

    private void leaves(String dataset) throws SQLException {
        change("delete from residency where version like 'team/%s@%%'".formatted(dataset));
        change("delete from version where id like 'team/%s@%%'".formatted(dataset));
    }

    private void change(String sql) throws SQLException {
        try (Connection database = platform.database();
                Statement statement = database.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    /** Returns the age in seconds of a row with this column; a large number if there is none. */
    private double changedAgo(String dataset, String region, String column) {
        String sql =
                """
                select extract(epoch from now() - changed_at) from residency
                where version = 'team/%s@v1' and region = '%s' and %s is not null"""
                        .formatted(dataset, region, column);
        try (Connection database = platform.database();
                Statement statement = database.createStatement();
                var found = statement.executeQuery(sql)) {
            return found.next() ? found.getDouble(1) : Double.MAX_VALUE;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
