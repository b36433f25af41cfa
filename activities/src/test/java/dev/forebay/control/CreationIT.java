package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.fault.Fault;
import dev.forebay.model.DatasetVersion;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import dev.forebay.workflows.WorkflowIds;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The creation of versions: by the first request for a dataset, or on request. */
class CreationIT {

    private static final long LONG = 3600;
    private static final String IN = "{\"region\":\"" + REGION + "\"}";
    private static final String CREATE = IN.replace("}", ",\"create\":true}");
    private static final String WAITING = "?wait_seconds=30";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @AfterEach
    void mend() {
        platform.lake.spoil(request -> Fault.NONE);
    }

    private Api.Answer ensure(String name, String version, String body, String... headers) {
        return api.post(version(name, version) + "/ensure" + WAITING, body, headers);
    }

    private Api.Answer freeze(String name, String version) {
        return api.post(version(name, version) + "/freeze" + WAITING, "");
    }

    /** Fails the listings of a dataset with a retryable error, until the test ends this. */
    private void refuseListings(String name) {
        platform.lake.spoil(
                request ->
                        request.target().contains("prefix=" + name)
                                ? new Fault.Status(503)
                                : Fault.NONE);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String latest(String name) {
        return api.get(version(name, "latest")).text("version");
    }

    private List<String> versions(String name) {
        JsonNode items = api.get("/datasets/team/" + name + "/versions").body().get("items");
        return StreamSupport.stream(items.spliterator(), false)
                .map(version -> version.get("version").asText())
                .toList();
    }

    private static void assertOk(Api.Answer answer) {
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
    }

    /** "How a version is created". */
    @Test
    void ensureRefusesAMistypedVersionWithTheNearestNames() {
        String name = platform.dataset(LONG);
        assertOk(ensure(name, "v1", IN));

        Api.Answer refused = ensure(name, "v1-typo", IN, "Idempotency-Key", "k");

        assertThat(refused.status()).isEqualTo(404);
        assertThat(refused.text("code")).isEqualTo("NOT_FOUND");
        assertThat(refused.body().get("retryable").asBoolean()).isFalse();
        assertThat(refused.text("detail"))
                .contains("team/" + name + " has no version 'v1-typo'")
                .contains("similar names are v1")
                .contains("forebay freeze team/" + name + "@v1-typo");
        assertThat(versions(name)).containsExactly("v1");
        assertThat(latest(name)).isEqualTo("v1");
        assertThat(platform.region.hasWorkflow("dataset/team/" + name + "@v1-typo")).isFalse();
        assertThat(api.get(version(name, "v1-typo") + "/requests/k").status()).isEqualTo(404);
        assertThat(api.get(version(name, "v1-typo")).text("detail"))
                .contains("similar names are v1.");
        assertThat(ensure(name, "latset", IN).text("detail"))
                .contains("similar names are latest, v1.");
        assertThat(
                        api.get(
                                        "/datasets/team/%s/explain?version=v1-typo&region=%s"
                                                .formatted(name, REGION))
                                .text("detail"))
                .contains("similar names are v1");
    }

    @Test
    void ensureRefusesAMistypedDatasetWithTheNearestNames() {
        String name = platform.dataset(LONG);

        Api.Answer refused = ensure(name + "x", "v1", IN);

        assertThat(refused.status()).isEqualTo(404);
        assertThat(refused.text("detail"))
                .contains("dataset team/" + name + "x is not registered")
                .contains("similar names are team/" + name)
                .contains("forebay datasets register team/" + name + "x");
    }

    @Test
    void ensureWithCreateCreatesAVersionThatOthersCanRequest() {
        String name = platform.dataset(LONG);
        assertOk(ensure(name, "v1", IN));

        assertOk(ensure(name, "v2", CREATE));

        assertThat(latest(name)).isEqualTo("v2");
        assertOk(ensure(name, "v2", IN));
        assertOk(ensure(name, "v2", CREATE));
    }

    /** The field {@code create} is not part of a request's identity. */
    @Test
    void aKeyIdentifiesTheSameRequestWithAndWithoutCreate() {
        String name = platform.dataset(LONG);
        assertOk(ensure(name, "v1", CREATE, "Idempotency-Key", "k"));

        assertOk(ensure(name, "v1", IN, "Idempotency-Key", "k"));
    }

    @Test
    void freezeCreatesAVersionWithoutARegion() {
        String name = platform.dataset(LONG);

        Api.Answer frozen = freeze(name, "v1");
        platform.put(name + "/later.txt", "later");
        Api.Answer again = freeze(name, "v1");

        assertOk(frozen);
        assertThat(frozen.body().at("/manifest/objects").asLong()).isEqualTo(2);
        assertThat(frozen.body().get("regions")).isEmpty();
        assertThat(again.body()).isEqualTo(frozen.body());
        assertThat(latest(name)).isEqualTo("v1");
        assertOk(freeze(name, "v2"));
        assertThat(latest(name)).isEqualTo("v2");
        Api.Answer ensured = ensure(name, "v1", IN);
        assertOk(ensured);
        assertThat(ensured.body().at("/receipt/manifest_digest").asText())
                .isEqualTo(frozen.body().at("/manifest/digest").asText());
    }

    /** A workflow that runs already does not know the manifest. */
    @Test
    void aVersionCanBeFrozenAfterAFailedAttempt() {
        String name = platform.newName();
        api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"%s\",\"source\":\"s3://lake/%s/\"}"
                        .formatted(name, name));
        assertThat(ensure(name, "v1", IN).text("code")).isEqualTo("LAKE_EMPTY");
        assertThat(freeze(name, "v1").text("code")).isEqualTo("LAKE_EMPTY");
        platform.put(name + "/a.txt", "first");

        Api.Answer frozen = freeze(name, "v1");

        assertOk(frozen);
        assertThat(frozen.body().at("/manifest/objects").asLong()).isEqualTo(1);
        assertThat(latest(name)).isEqualTo("v1");
    }

    @Test
    void aRepeatedFreezeRequestWaitsForTheRunningListing() {
        String name = platform.dataset(LONG);
        refuseListings(name);
        Api.Answer goesOn = api.post(version(name, "v1") + "/freeze?wait_seconds=0", "");
        assertThat(goesOn.status()).as(goesOn.raw().body()).isEqualTo(202);
        assertThat(goesOn.body().get("manifest").isNull()).isTrue();
        assertThat(api.get(version(name, "latest")).status()).isEqualTo(404);
        Await.until(
                "the status shows why the listing does not progress",
                () ->
                        api.get(version(name, "v1"))
                                .body()
                                .at("/freezing/code")
                                .asText()
                                .equals("LAKE_UNAVAILABLE"));

        platform.lake.spoil(request -> Fault.NONE);

        Await.until("it is frozen", () -> freeze(name, "v1").status() == 200);
        assertThat(latest(name)).isEqualTo("v1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "latest",
                "LATEST",
                "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            })
    void freezeRefusesReservedVersionNames(String asked) {
        String name = platform.dataset(LONG);

        Api.Answer refused = freeze(name, asked);

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text("detail"))
                .contains("'" + asked + "'")
                .contains("must be a new name");
        assertThat(versions(name)).isEmpty();
    }

    @Test
    void ensureRefusesAFirstVersionNamedLikeLatest() {
        String name = platform.dataset(LONG);

        assertThat(ensure(name, "Latest", IN).text("detail"))
                .contains("'Latest'")
                .contains("must be a new name, not latest");
        assertThat(versions(name)).isEmpty();
    }

    @Test
    void concurrentRequestsCreateOnlyOneFirstVersion() throws Exception {
        String name = platform.dataset(LONG);
        List<Integer> answers;
        try (ExecutorService callers = Executors.newFixedThreadPool(8)) {
            List<Future<Integer>> asked =
                    IntStream.range(0, 8)
                            .mapToObj(i -> callers.submit(() -> ensure(name, "v" + i, IN).status()))
                            .toList();
            answers = asked.stream().map(CreationIT::get).sorted().toList();
        }

        assertThat(answers).containsExactly(200, 404, 404, 404, 404, 404, 404, 404);
        assertThat(versions(name)).hasSize(1);
    }

    @Test
    void concurrentRequestsForTheSameFirstVersionAllSucceed() throws Exception {
        String name = platform.dataset(LONG);
        try (ExecutorService callers = Executors.newFixedThreadPool(8)) {
            List<Future<Integer>> asked =
                    IntStream.range(0, 8)
                            .mapToObj(_ -> callers.submit(() -> ensure(name, "v1", IN).status()))
                            .toList();

            assertThat(asked.stream().map(CreationIT::get)).containsOnly(200);
        }
        assertThat(versions(name)).containsExactly("v1");
    }

    private static Integer get(Future<Integer> answer) {
        try {
            return answer.get();
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    /** A version that is cancelled before it is frozen leaves nothing behind. */
    @Test
    void aCancelledFirstVersionLeavesNothingBehind() {
        String name = platform.dataset(LONG);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        platform.lake.spoil(
                request -> {
                    if (request.method().equals("PUT") && request.target().contains("manifests/")) {
                        asked.countDown();
                        await(goesOn);
                    }
                    return Fault.NONE;
                });
        String mistaken = version(name, "v1-typo");
        assertThat(api.post(mistaken + "/ensure", IN, "Idempotency-Key", "k").status())
                .isEqualTo(202);
        assertThat(ensure(name, "v1", IN).text("detail")).contains("similar names are v1-typo");
        await(asked);
        String workflow = WorkflowIds.ingest(DatasetVersion.of("team", name, "v1-typo"));
        Instant before = platform.region.lastHeartbeat(workflow);
        Await.until(
                "the next heartbeat is a second away",
                () -> platform.region.lastHeartbeat(workflow).isAfter(before));
        assertThat(api.delete(mistaken + "/requests/k").status()).isEqualTo(204);
        // The ingest ends before that heartbeat reports the cancellation.
        goesOn.countDown();

        assertOk(ensure(name, "v1", IN));
        assertThat(latest(name)).isEqualTo("v1");
        assertThat(ensure(name, "v1-typo", IN).status()).isEqualTo(404);
        assertOk(ensure(name, "v1-typo", CREATE));
        assertThat(latest(name)).as("it is frozen last").isEqualTo("v1-typo");
    }

    @Test
    void aFirstVersionWhoseEnsureFailsDoesNotBlockOtherVersions() {
        String name = platform.newName();
        api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"%s\",\"source\":\"s3://lake/%s/\"}"
                        .formatted(name, name));
        assertThat(ensure(name, "v1", IN).text("code")).isEqualTo("LAKE_EMPTY");
        platform.put(name + "/a.txt", "first");

        Await.until("the catalogue knows", () -> ensure(name, "v2", IN).status() == 200);

        assertThat(latest(name)).isEqualTo("v2");
        // The version is BLOCKED, and a new request makes the region try again.
        assertOk(ensure(name, "v1", IN));
        assertThat(latest(name)).isEqualTo("v1");
    }

    @Test
    void aFirstVersionWhoseFreezeFailsDoesNotBlockOtherVersions() {
        String name = platform.newName();
        api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"%s\",\"source\":\"s3://lake/%s/\"}"
                        .formatted(name, name));
        Api.Answer failed = api.post(version(name, "typo") + "/freeze?wait_seconds=30", "");
        assertThat(failed.text("code")).as(failed.raw().body()).isEqualTo("LAKE_EMPTY");
        platform.put(name + "/a.txt", "first");

        assertOk(ensure(name, "v1", IN));
        assertThat(latest(name)).isEqualTo("v1");
    }

    /** For example, PostgreSQL was restored from a backup. */
    @Test
    void aVersionThatTheCatalogueLostKeepsItsManifest() throws Exception {
        String name = platform.dataset(LONG);
        assertOk(ensure(name, "v1", IN));
        Api.Answer before = ensure(name, "v2", CREATE);
        Api.Answer other = ensure(name, "v3", CREATE);
        forget(name, "v2");
        forget(name, "v3");
        platform.put(name + "/later.txt", "later");

        Api.Answer after = ensure(name, "v2", IN);
        Api.Answer frozen = freeze(name, "v3");

        assertOk(after);
        assertThat(after.body().at("/receipt/manifest_digest"))
                .isEqualTo(before.body().at("/receipt/manifest_digest"));
        assertOk(frozen);
        assertThat(frozen.body().at("/manifest/digest"))
                .isEqualTo(other.body().at("/receipt/manifest_digest"));
    }

    private void forget(String name, String version) throws SQLException {
        String id = "team/%s@%s".formatted(name, version);
        try (Connection database = platform.database()) {
            database.setAutoCommit(false);
            // The workflow may be about to write to the catalogue.
            run(database, "select 1 from version where id = ? for update", id);
            for (String column :
                    List.of(
                            "residency.version",
                            "pin.version",
                            "request.version",
                            "origin.version",
                            "version.id")) {
                String table = column.substring(0, column.indexOf('.'));
                run(database, "delete from %s where %s = ?".formatted(table, column), id);
            }
            database.commit();
        }
    }

    private static void run(Connection database, String sql, String id) throws SQLException {
        try (PreparedStatement statement = database.prepareStatement(sql)) {
            statement.setString(1, id);
            statement.execute();
        }
    }

    /** "Which version is meant". */
    @Test
    void latestSkipsAVersionThatIsNotFrozenYet() {
        String name = platform.dataset(LONG);
        assertOk(ensure(name, "v1", IN));
        refuseListings(name);
        Api.Answer goesOn =
                api.post(version(name, "v2") + "/ensure", CREATE, "Idempotency-Key", "k");
        assertThat(goesOn.status()).as(goesOn.raw().body()).isEqualTo(202);

        assertThat(latest(name)).isEqualTo("v1");
        assertThat(ensure(name, "latest", IN).text("version")).isEqualTo("v1");
        platform.lake.spoil(request -> Fault.NONE);

        Await.until(
                "v2 is there",
                () -> api.get(version(name, "v2") + "/requests/k?wait_seconds=10").status() == 200);
        assertThat(latest(name)).isEqualTo("v2");
    }
}
