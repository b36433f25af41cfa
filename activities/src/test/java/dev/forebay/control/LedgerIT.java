package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The accounts of workers, from an agent's gateway to a bill. */
class LedgerIT {

    private static final long GB = 1_000_000_000;

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @Test
    void theLedgerCountsRepeatedStatementsOfAWorkerOnce() {
        String version = "team/%s@v1".formatted(platform.dataset(3600));
        String one = account();
        String two = account();
        says(one, version, false, 1, 10, GB, 5 * GB);
        says(two, version, false, 7, 5, 1, 0);
        awaitLake(version, 15, GB + 1);

        says(one, version, false, 4, 12, 2 * GB, 6 * GB);
        awaitLake(version, 17, 2 * GB + 1);

        platform.process.kill9();
        platform.process.restart();
        says(one, version, false, 3, 11, GB, 5 * GB); // an older statement that was delayed
        says(two, version, true, 9, 6, 3, 0);
        awaitLake(version, 18, 2 * GB + 3);
        Await.until(
                "the closed account is settled",
                () -> platform.gateway.settled().contains(two + " revision=9"));
        says(two, version, true, 9, 6, 3, 0); // the worker has not received the settlement
        says(one, version, false, 5, 13, 2 * GB, 6 * GB);
        awaitLake(version, 19, 2 * GB + 3);
    }

    @Test
    void theLedgerKeepsAnUnchangedAccountThatItsWorkerStillReports() throws SQLException {
        String version = "team/%s@v1".formatted(platform.dataset(3600));
        String account = account();
        says(account, version, false, 1, 10, GB, 0);
        awaitLake(version, 10, GB);
        change(
                """
                update ledger_account set noted_at = now() - interval '400 days' + interval '5 seconds'
                where id = '%s'"""
                        .formatted(account));

        Await.until("it was recorded again", () -> notedDaysAgo(account) == 0);

        awaitLake(version, 10, GB);
        says(account, version, false, 2, 11, GB, 0);
        awaitLake(version, 11, GB);
    }

    @Test
    void aWorkerThatCannotBeRecordedIsLoggedOnce() {
        String version = "team/%s@v1".formatted(platform.dataset(3600));
        String account = account();
        long told = logged("Cannot book the accounts of worker");
        long over = logged("The ledger includes worker");
        double failed = failed();
        platform.gateway.says(account, "nonsense");
        try {
            Await.until("three rounds have failed", () -> failed() >= failed + 3);

            assertThat(logged("Cannot book the accounts of worker")).isEqualTo(told + 1);
        } finally {
            says(account, version, false, 1, 10, GB, 0);
        }
        Await.until("that is over", () -> logged("The ledger includes worker") == over + 1);
    }

    @Test
    void theQueryForTheLastRequesterUsesAnIndex() throws SQLException {
        try (Connection database = platform.database();
                Statement statement = database.createStatement()) {
            statement.execute("set enable_sort = off");
            try (ResultSet plan =
                    statement.executeQuery(
                            """
                            explain select asked_by from request
                            where version = 'team/x@v1' and created_at <= now()
                            order by created_at desc limit 1""")) {
                plan.next();
                plan.next();
                assertThat(plan.getString(1)).contains("request_by_version");
            }
        }
    }

    @Test
    void theCostReportShowsTheCostWithAndWithoutTheCache() {
        String dataset = "team/" + platform.dataset(3600);
        // 1,000 requests and 10 GB from the lake, 4 GB from workers, 36 GB sent to readers, 2 GB
        // stored for 3 hours.
        platform.gateway.says(
                "bill",
                """
                {"id":"%s","version":"%s@v1","closed":false,"revision":1,"age_millis":0,
                "lake_requests":1000,"lake_bytes":%d,"peer_requests":10,"peer_bytes":%d,
                "served_requests":5000,"served_bytes":%d,"held_byte_seconds":%s}"""
                        .formatted(
                                account(), dataset, 10 * GB, 4 * GB, 36 * GB, 2.0 * GB * 3 * 3600));
        Await.until(
                "it is noted",
                () -> costs("dataset=" + dataset).at("/total/lake/bytes").asLong() == 10 * GB);

        JsonNode bill = costs("by=version&dataset=" + dataset);

        assertThat(bill.get("currency").asText()).isEqualTo("EUR");
        assertThat(bill.get("priced").asBoolean()).isTrue();
        JsonNode line = bill.at("/items/0");
        assertThat(line.get("key").asText()).isEqualTo(dataset + "@v1");
        assertThat(line.at("/peer/bytes").asLong()).isEqualTo(4 * GB);
        assertThat(line.at("/readers/bytes").asLong()).isEqualTo(36 * GB);
        assertThat(line.at("/readers/requests").asLong()).isEqualTo(5000);
        assertThat(line.get("nvme_gb_hours").asDouble()).isEqualTo(6);
        assertThat(line.at("/cost/lake").asDouble()).isEqualTo(1);
        assertThat(line.at("/cost/requests").asDouble()).isEqualTo(0.4);
        assertThat(line.at("/cost/nvme").asDouble()).isEqualTo(0.06);
        assertThat(line.at("/cost/total").asDouble()).isEqualTo(1.46);
        assertThat(line.at("/cost/without_cache").asDouble()).isEqualTo(3.6 + 2);
        assertThat(line.at("/cost/saved").asDouble()).isEqualTo(5.6 - 1.46);
        assertThat(bill.at("/total/cost")).isEqualTo(line.get("cost"));
        for (String by : new String[] {"namespace", "region", "run", "day"}) {
            JsonNode same = costs("by=%s&dataset=%s".formatted(by, dataset));
            assertThat(same.get("items")).as(by).hasSize(1);
            assertThat(same.at("/items/0/cost")).as(by).isEqualTo(line.get("cost"));
        }
        assertThat(costs("by=region&dataset=" + dataset).at("/items/0/key").asText())
                .isEqualTo(REGION);
        assertThat(costs("until=2026-01-01&since=2025-01-01&dataset=" + dataset).get("items"))
                .isEmpty();
    }

    @Test
    void aFillIsChargedToTheRunThatRequestedIt() {
        String name = platform.dataset(3600);
        String version = "team/%s@v1".formatted(name);
        String path = TestControlPlane.version(name, "v1");
        api.post(
                path + "/ensure?wait_seconds=30",
                "{\"region\":\"%s\",\"run_id\":\"train-7\"}".formatted(REGION));
        String before = account();
        says(before, version, false, 1, 1, 100, 0);
        awaitLake(version, 1, 100);
        api.post(
                path + "/ensure?wait_seconds=30",
                "{\"region\":\"%s\",\"run_id\":\"train-8\"}".formatted(REGION));
        says(before, version, false, 2, 2, 200, 0);
        says(account(), version, false, 1, 5, 500, 0);
        awaitLake(version, 7, 700);

        JsonNode runs = costs("by=run&dataset=team/" + name);

        assertThat(runs.at("/items/0/key").asText()).isEqualTo("train-7");
        assertThat(runs.at("/items/0/lake/bytes").asLong()).isEqualTo(200);
        assertThat(runs.at("/items/1/key").asText()).isEqualTo("train-8");
        assertThat(runs.at("/items/1/lake/bytes").asLong()).isEqualTo(500);
        assertThat(costs("run_id=train-8&dataset=team/" + name).at("/total/lake/requests").asInt())
                .isEqualTo(5);
    }

    @Test
    void aRepeatedKeyChargesLaterFillsToItsNewRun() throws SQLException {
        String name = platform.dataset(3600);
        String version = "team/%s@v1".formatted(name);
        ensure(name, "nightly", "train-1");
        ensure(name, "other", "train-2");
        says(account(), version, false, 1, 1, 100, 0);
        awaitLake(version, 1, 100);
        ensure(name, "nightly", "train-3");
        says(account(), version, false, 1, 2, 200, 0);
        awaitLake(version, 3, 300);

        change("delete from request where id = 'other' and version = '%s'".formatted(version));
        change(
                "update request set created_at = now() - interval '1 hour' where version = '%s'"
                        .formatted(version));
        saysAfter(Duration.ofMinutes(30), version, 4, 400);
        awaitLake(version, 7, 700);

        JsonNode runs = costs("by=run&dataset=team/" + name).get("items");

        assertThat(runs.findValuesAsText("key")).containsExactly("train-1", "train-2", "train-3");
        assertThat(runs.at("/0/lake/bytes").asLong())
                .as("before the request was repeated")
                .isEqualTo(400);
        assertThat(runs.at("/1/lake/bytes").asLong()).isEqualTo(100);
        assertThat(runs.at("/2/lake/bytes").asLong())
                .as("after the request was repeated")
                .isEqualTo(200);
    }

    private void ensure(String name, String key, String run) {
        Api.Answer answer =
                api.post(
                        TestControlPlane.version(name, "v1") + "/ensure?wait_seconds=30",
                        "{\"region\":\"%s\",\"run_id\":\"%s\"}".formatted(REGION, run),
                        "Idempotency-Key",
                        key);
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
    }

    @Test
    void theCostReportReturnsItsLinesInPages() {
        String name = platform.dataset(3600);
        for (String v : new String[] {"a", "b", "c"}) {
            says(account(), "team/%s@%s".formatted(name, v), false, 1, 1, 1, 0);
        }
        Await.until(
                "all are noted",
                () -> costs("dataset=team/" + name).at("/total/lake/requests").asInt() == 3);

        JsonNode first = costs("by=version&limit=2&dataset=team/" + name);
        JsonNode second =
                costs(
                        "by=version&limit=2&dataset=team/%s&after=%s"
                                .formatted(name, first.get("next").asText()));

        assertThat(first.get("items")).hasSize(2);
        assertThat(second.get("items")).hasSize(1);
        assertThat(second.at("/items/0/key").asText()).isEqualTo("team/%s@c".formatted(name));
        assertThat(second.at("/total/lake/requests").asInt()).isEqualTo(3);
        assertThat(second.get("next").isNull()).isTrue();
    }

    /** "Budgets". */
    @Test
    void aSpentBudgetDelaysOnlySpeculativeFills() {
        String name = platform.dataset(3600);
        api.post(
                "/datasets",
                """
                {"namespace":"spender","name":"%s","source":"s3://lake/%s/","ttl_seconds":3600}"""
                        .formatted(name, name));
        String path = "/datasets/spender/%s/versions/v1".formatted(name);
        says(account(), "spender/%s@v0".formatted(name), false, 1, 0, 6 * GB, 0);
        Await.until("the budget is spent", () -> budget().get("paused").asBoolean());
        assertThat(budget().get("budget").asDouble()).isEqualTo(0.5);
        assertThat(budget().get("spent").asDouble()).isGreaterThanOrEqualTo(0.6);

        Api.Answer hint =
                api.post(
                        path + "/ensure",
                        "{\"region\":\"%s\",\"priority\":\"speculative\"}".formatted(REGION),
                        "Idempotency-Key",
                        "hint-" + name);

        assertThat(hint.status()).as(hint.raw().body()).isEqualTo(202);
        Await.until(
                "it says why it waits",
                () ->
                        api.get(path)
                                .body()
                                .at("/regions/0/waiting/code")
                                .asText()
                                .equals("BUDGET_SPENT"));
        assertThat(api.get(path).body().at("/regions/0/waiting/message").asText())
                .contains("namespace spender has spent 0.6")
                .contains("forebay.ledger.budgets.spender");
        Api.Answer job =
                api.post(path + "/ensure?wait_seconds=30", "{\"region\":\"%s\"}".formatted(REGION));
        assertThat(job.status()).as(job.raw().body()).isEqualTo(200);
        assertThat(api.get(path + "/requests/hint-%s?wait_seconds=30".formatted(name)).status())
                .isEqualTo(200);
    }

    @Test
    void aCostReportOfAnEarlierMonthStartsWithThatMonth() {
        assertThat(costs("until=2025-10-31").get("since").asText()).isEqualTo("2025-10-01");
        assertThat(costs("until=2025-11-01").get("since").asText()).isEqualTo("2025-10-01");
    }

    @ParameterizedTest
    @CsvSource({
        "by=colour, 'by ''colour'' must be namespace, dataset, version, region, run or day'",
        "since=yesterday, 'since ''yesterday'' must be a day, such as 2026-11-30'",
        "until=2026-02-31, 'until ''2026-02-31'' must be a day, such as 2026-11-30'",
        "since=2025-11-01&until=2025-11-01, 'since ''2025-11-01'' must be before until ''2025-11-01'''",
        "limit=0, 'limit ''0'' must be a whole number from 1 to 1000'",
        "dataset=one, 'dataset ''one'' must have the form namespace/name'",
        "version=v1, 'version ''v1'' needs a dataset'",
    })
    void anInvalidCostQueryIsRefused(String query, String detail) {
        Api.Answer answer = api.get("/costs?" + query);

        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(400);
        assertThat(answer.text("detail")).isEqualTo(detail);
    }

    @Test
    void anUnknownRegionIsRefused() {
        assertThat(api.get("/costs?region=mars").text("code")).isEqualTo("UNKNOWN_REGION");
    }

    private long logged(String text) {
        try (Stream<String> lines = Files.lines(platform.process.log())) {
            return lines.filter(line -> line.contains(text)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private double failed() {
        String series = "forebay_control_ledger_statements_total{outcome=\"failed\"} ";
        return new Api(platform.process.address())
                .get("/q/metrics")
                .raw()
                .body()
                .lines()
                .filter(line -> line.startsWith(series))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
                .sum();
    }

    private long notedDaysAgo(String account) {
        String sql =
                "select cast(now() as date) - cast(noted_at as date) from ledger_account where id = '%s'"
                        .formatted(account);
        try (Connection database = platform.database();
                Statement statement = database.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            return found.next() ? found.getLong(1) : -1;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void change(String sql) throws SQLException {
        try (Connection database = platform.database();
                Statement statement = database.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private static String account() {
        return UUID.randomUUID().toString();
    }

    private void says(
            String account,
            String version,
            boolean closed,
            long revision,
            long requests,
            long bytes,
            long served) {
        platform.gateway.says(
                account,
                """
                {"id":"%s","version":"%s","closed":%s,"revision":%d,"age_millis":0,
                "lake_requests":%d,"lake_bytes":%d,"peer_requests":0,"peer_bytes":0,
                "served_requests":0,"served_bytes":%d,"held_byte_seconds":0.0}"""
                        .formatted(account, version, closed, revision, requests, bytes, served));
    }

    /** Reports an account for the first time that was opened some time ago. */
    private void saysAfter(Duration age, String version, long requests, long bytes) {
        String account = account();
        platform.gateway.says(
                account,
                """
                {"id":"%s","version":"%s","closed":false,"revision":1,"age_millis":%d,
                "lake_requests":%d,"lake_bytes":%d,"peer_requests":0,"peer_bytes":0,
                "served_requests":0,"served_bytes":0,"held_byte_seconds":0.0}"""
                        .formatted(account, version, age.toMillis(), requests, bytes));
    }

    /**
     * Checks for exact values. The sums only grow, so a larger value is an error and not a delay.
     */
    private void awaitLake(String version, long requests, long bytes) {
        Await.until(
                "%s has cost %d requests".formatted(version, requests),
                () -> lake(version).path("requests").asLong() >= requests);
        assertThat(lake(version).path("requests").asLong()).isEqualTo(requests);
        assertThat(lake(version).path("bytes").asLong()).isEqualTo(bytes);
    }

    private JsonNode lake(String version) {
        return costs("dataset=" + version.replace("@", "&version=")).at("/total/lake");
    }

    private JsonNode costs(String query) {
        Api.Answer answer = api.get("/costs?" + query);
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        return answer.body();
    }

    private JsonNode budget() {
        return api.get("/budgets").body().at("/items/0");
    }
}
