package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.model.DatasetVersion;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * "Repairing inconsistent stores": finds each kind of difference, and repairs it if possible. Uses
 * a real catalogue, Temporal and lake. The tests set the answers of the region.
 */
class FsckIT {

    private static final String IN = "{\"region\":\"" + REGION + "\"}";
    private static final String COMPLETE =
            """
            {"capacity_bytes":1000000,"taken_bytes":0,"residents":[],
            "missing":{"bytes":0,"objects":0,"lake_requests":0,"exact":true}}""";
    private static final String INCOMPLETE =
            """
            {"capacity_bytes":1000000,"taken_bytes":0,"residents":[],
            "missing":{"bytes":7,"objects":1,"lake_requests":1,"exact":true}}""";
    private static final String NO_PINS = "{\"pins\":[]}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;
    private String name = "";

    @BeforeEach
    void register() {
        name = platform.dataset(3600);
        platform.gateway.setSurvey(COMPLETE);
    }

    @AfterEach
    void forget() {
        platform.gateway.resetUsage();
        platform.gateway.setPins(NO_PINS);
        platform.gateway.setSurvey("{}");
    }

    private DatasetVersion v1() {
        return DatasetVersion.of("team", name, "v1");
    }

    private String workflow() {
        return "dataset/" + v1();
    }

    /** Ensures the version, and makes the region report it as mounted. */
    private void cached() throws SQLException {
        Api.Answer answer = api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN);
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        mounted(false);
        Await.until("the catalogue knows", () -> rows("residency").equals(List.of("CACHED")));
    }

    private void frozen() {
        Api.Answer answer = api.post(version(name, "v1") + "/freeze?wait_seconds=30", "");
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
    }

    private JsonNode manifest() {
        return api.get(version(name, "v1")).body().get("manifest");
    }

    private void mounted(boolean evicting) {
        JsonNode manifest = manifest();
        platform.gateway.setUsage(
                """
                {"capacity_bytes":1000000,"used_bytes":0,"orphan_bytes":0,"unknown":[],"versions":[
                {"version":{"dataset":{"namespace":"team","name":"%s"},"version":"v1"},
                "manifest":{"uri":"%s","digest":{"hex":"%s"},"objects":%d,"bytes":%d,"chunks":%d},
                "evicting":%s,"pinned":false,"seconds_since_read":null}],"shares":[]}"""
                        .formatted(
                                name,
                                manifest.get("uri").asText(),
                                manifest.get("digest").asText(),
                                manifest.get("objects").asLong(),
                                manifest.get("bytes").asLong(),
                                manifest.get("chunks").asLong(),
                                evicting));
    }

    private void pinnedInEtcd(String id) {
        platform.gateway.setPins(
                """
                {"pins":[{"version":{"dataset":{"namespace":"team","name":"%s"},"version":"v1"},
                "id":"%s","holder":"job","reason":"","lease_seconds":300,"remaining_seconds":200,
                "job":null,"renewed":true}]}"""
                        .formatted(name, id));
    }

    private Path pointer() {
        return platform.manifestBucket()
                .resolve("versions/team")
                .resolve("%s@v1.json".formatted(name));
    }

    private Path manifestFile(String digest) {
        return platform.manifestBucket().resolve("manifests").resolve(digest + ".sqlite");
    }

    private String state() {
        return api.get(version(name, "v1")).body().at("/regions/0/state").asText();
    }

    /** Returns the states of residencies, or the ids of pins, in the catalogue. */
    private List<String> rows(String table) {
        String column = table.equals("pin") ? "id" : "state";
        try (Connection database = platform.database();
                PreparedStatement select =
                        database.prepareStatement(
                                "select %s from %s where version = ?".formatted(column, table))) {
            select.setString(1, v1().toString());
            List<String> found = new ArrayList<>();
            try (var rows = select.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getString(1));
                }
            }
            return found;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void change(String... statements) throws SQLException {
        try (Connection database = platform.database()) {
            database.setAutoCommit(false);
            for (String statement : statements) {
                try (PreparedStatement step = database.prepareStatement(statement)) {
                    step.setString(1, v1().toString());
                    step.execute();
                }
            }
            database.commit();
        }
    }

    /** As after the restore of a backup that is older than the version. */
    private void loseRow() throws SQLException {
        change(
                "select id from version where id = ? for update",
                "delete from request where version = ?",
                "delete from residency where version = ?",
                "delete from pin where version = ?",
                "delete from origin where version = ?",
                "delete from version where id = ?");
    }

    /** Returns the findings of all pages about the dataset. */
    private List<JsonNode> fsck(String method, String more) {
        List<JsonNode> found = new ArrayList<>();
        String next = "";
        while (next != null) {
            Api.Answer answer =
                    api.send(
                            method,
                            "/fsck?of=team/%s%s%s"
                                    .formatted(name, more, next.isEmpty() ? "" : "&after=" + next),
                            method.equals("GET") ? null : "");
            assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
            StreamSupport.stream(answer.body().get("findings").spliterator(), false)
                    .filter(finding -> finding.hasNonNull("version"))
                    .forEach(found::add);
            JsonNode after = answer.body().get("next");
            next = after == null || after.isNull() ? null : after.asText();
        }
        return found;
    }

    private List<String> found() {
        return codes(fsck("GET", ""), "REPAIRABLE");
    }

    private static List<String> codes(List<JsonNode> findings, String state) {
        return findings.stream()
                .filter(finding -> finding.get("state").asText().equals(state))
                .map(finding -> finding.get("code").asText())
                .toList();
    }

    /** Waits until there are no findings, because workflows repair some in the background. */
    private void awaitNothing() {
        Await.until("nothing is found any more", () -> fsck("GET", "").isEmpty());
    }

    @Test
    void fsckFindsNothingInConsistentStores() throws Exception {
        cached();

        awaitNothing();
    }

    @Test
    void fsckRestoresALostVersionAndItsRegionsInTheCatalogue() throws Exception {
        cached();
        String digest = manifest().get("digest").asText();
        loseRow();

        assertThat(found()).containsExactly("VERSION_MISSING");
        assertThat(codes(fsck("POST", ""), "REPAIRED"))
                .containsExactly("VERSION_MISSING", "CATALOGUE_DIFFERS");

        assertThat(manifest().get("digest").asText()).isEqualTo(digest);
        assertThat(rows("residency")).containsExactly("CACHED");
        awaitNothing();
    }

    @Test
    void fsckRestoresALostVersionFromTheMountOfARegion() throws Exception {
        frozen();
        mounted(false);
        String digest = manifest().get("digest").asText();
        loseRow();
        Files.delete(pointer());

        assertThat(found()).containsExactly("VERSION_MISSING");
        List<JsonNode> repaired = fsck("POST", "");

        assertThat(codes(repaired, "REPAIRED"))
                .containsExactly("VERSION_MISSING", "POINTER_MISSING");
        assertThat(codes(repaired, "UNDER_WAY")).containsExactly("MOUNT_UNKNOWN");
        assertThat(manifest().get("digest").asText()).isEqualTo(digest);
        Await.until("its workflow has it", () -> state().equals("CACHED"));
        awaitNothing();
    }

    @Test
    void fsckRewritesAMissingPointerFromTheCatalogue() throws Exception {
        frozen();
        JsonNode written = PointerFile.said(pointer());
        Files.delete(pointer());

        assertThat(found()).containsExactly("POINTER_MISSING");
        assertThat(codes(fsck("POST", ""), "REPAIRED")).containsExactly("POINTER_MISSING");

        assertThat(PointerFile.said(pointer())).isEqualTo(written);
        awaitNothing();
    }

    @Test
    void fsckRewritesAnEmptyPointerFromTheCatalogue() throws Exception {
        frozen();
        JsonNode written = PointerFile.said(pointer());
        Files.writeString(pointer(), "{}");

        assertThat(found()).containsExactly("POINTER_DAMAGED");
        assertThat(codes(fsck("POST", ""), "REPAIRED")).containsExactly("POINTER_DAMAGED");

        assertThat(PointerFile.said(pointer())).isEqualTo(written);
    }

    /** A catalogue that is restored from the pointer would have these values. */
    @ParameterizedTest
    @CsvSource({
        "'\"bytes\":', '\"bytes\":9', true",
        "'\"bytes\":', '\"bytes\":9', false",
        "'\"manifest_sha256\":\"..', '\"manifest_sha256\":\"00', false",
        "manifests/, elsewhere/, true",
        "'\"prefix\":\"', '\"prefix\":\"x', true"
    })
    void fsckRewritesAPointerWithOtherValuesFromTheCatalogue(
            String part, String other, boolean sealed) throws Exception {
        frozen();
        JsonNode written = PointerFile.said(pointer());
        String damaged = Files.readString(pointer()).replaceFirst(part, other);
        assertThat(damaged).isNotEqualTo(Files.readString(pointer()));
        Files.writeString(pointer(), damaged);
        if (sealed) {
            PointerFile.seal(pointer());
        }

        assertThat(found()).containsExactly("POINTER_DAMAGED");
        assertThat(codes(fsck("POST", ""), "REPAIRED")).containsExactly("POINTER_DAMAGED");

        assertThat(PointerFile.said(pointer())).isEqualTo(written);
        awaitNothing();
    }

    @Test
    void fsckKeepsAPointerOfALaterRelease() throws Exception {
        frozen();
        String ours = Files.readString(pointer());
        String later = ours.replaceFirst("\"ttl_after\":\"[A-Z]+\"", "\"ttl_after\":\"NEVER\"");
        assertThat(later).isNotEqualTo(ours);
        Files.writeString(pointer(), later);
        PointerFile.seal(pointer());

        assertThat(fsck("POST", ""))
                .isNotEmpty()
                .allSatisfy(
                        each -> {
                            assertThat(each.get("code").asText()).isEqualTo("NOT_COMPARED");
                            assertThat(each.toString()).contains("a later release wrote");
                        });
        assertThat(Files.readString(pointer())).contains("\"ttl_after\":\"NEVER\"");

        Files.writeString(pointer(), ours);
        awaitNothing();
    }

    @Test
    void fsckRestoresAMissingManifestFromARegion() throws Exception {
        frozen();
        String digest = manifest().get("digest").asText();
        byte[] content = Files.readAllBytes(manifestFile(digest));
        Files.delete(manifestFile(digest));

        assertThat(found()).containsExactly("MANIFEST_MISSING");
        List<JsonNode> failed = fsck("POST", "");
        assertThat(codes(failed, "FAILED")).containsExactly("MANIFEST_MISSING");
        assertThat(failed.getFirst().get("problem").asText()).contains("has a copy of manifest");
        platform.gateway.holdManifest(digest, "not it".getBytes(UTF_8));
        assertThat(codes(fsck("POST", ""), "FAILED")).containsExactly("MANIFEST_MISSING");
        platform.gateway.holdManifest(digest, content);
        assertThat(codes(fsck("POST", ""), "REPAIRED")).containsExactly("MANIFEST_MISSING");

        assertThat(Files.readAllBytes(manifestFile(digest))).isEqualTo(content);
        awaitNothing();
    }

    @Test
    void fsckReplacesADamagedManifestWithACopy() throws Exception {
        frozen();
        String digest = manifest().get("digest").asText();
        byte[] content = Files.readAllBytes(manifestFile(digest));
        platform.gateway.holdManifest(digest, content);
        Files.write(manifestFile(digest), new byte[content.length]);

        assertThat(found()).containsExactly("MANIFEST_DAMAGED");
        assertThat(codes(fsck("POST", ""), "REPAIRED")).containsExactly("MANIFEST_DAMAGED");

        assertThat(Files.readAllBytes(manifestFile(digest))).isEqualTo(content);
    }

    @Test
    void fsckDoesNotRepairTwoManifestsOfOneVersion() throws Exception {
        frozen();
        String digest = manifest().get("digest").asText();
        String written = Files.readString(pointer());
        Files.writeString(pointer(), written.replace(digest, "ab".repeat(32)));
        PointerFile.seal(pointer());

        assertThat(codes(fsck("POST", ""), "BY_HAND")).containsExactly("MANIFEST_DIFFERS");

        Files.writeString(pointer(), written);
        awaitNothing();
    }

    @Test
    void fsckRestartsAMissingWorkflowFromTheCatalogue() throws Exception {
        cached();
        api.post(
                version(name, "v1") + "/pins",
                "{\"region\":\"%s\",\"id\":\"p\",\"holder\":\"job\",\"lease_seconds\":300}"
                        .formatted(REGION));
        Await.until("the catalogue knows", () -> rows("pin").equals(List.of("p")));
        pinnedInEtcd("p");
        platform.region.terminate(workflow());

        assertThat(found()).containsExactly("WORKFLOW_MISSING");
        assertThat(codes(fsck("POST", ""), "REPAIRED")).containsExactly("WORKFLOW_MISSING");

        awaitNothing();
        assertThat(state()).isEqualTo("CACHED");
        assertThat(rows("pin")).containsExactly("p");
    }

    @Test
    void fsckUpdatesTheCatalogueFromTheWorkflow() throws Exception {
        cached();
        change("delete from residency where version = ?");

        assertThat(found()).containsExactly("CATALOGUE_DIFFERS");
        assertThat(codes(fsck("POST", ""), "REPAIRED")).containsExactly("CATALOGUE_DIFFERS");

        assertThat(rows("residency")).containsExactly("CACHED");
    }

    /** As after Temporal was restored from a backup: its runs count from an earlier revision. */
    @Test
    void fsckRepairsACatalogueThatIsAheadOfItsWorkflow() throws Exception {
        cached();
        change("update version set revision = revision * 2 where id = ?");

        assertThat(found()).containsExactly("CATALOGUE_DIFFERS");
        assertThat(codes(fsck("POST", ""), "REPAIRED")).containsExactly("CATALOGUE_DIFFERS");

        api.post(version(name, "v1") + "/evict", IN);
        Await.until(
                "the catalogue shows the eviction", () -> !rows("residency").contains("CACHED"));
    }

    @Test
    void fsckRestoresAMissingMount() throws Exception {
        cached();
        platform.gateway.resetUsage();
        platform.region.forget(v1());
        int before = platform.region.warmed();

        assertThat(found()).containsExactly("MOUNT_MISSING");
        assertThat(codes(fsck("POST", ""), "UNDER_WAY")).containsExactly("MOUNT_MISSING");

        Await.until("it is filled again", () -> platform.region.warmed() > before);
        Await.until("it is complete again", () -> state().equals("CACHED"));
    }

    @Test
    void fsckFillsMissingBytes() throws Exception {
        cached();
        platform.gateway.setSurvey(INCOMPLETE);
        platform.region.forget(v1());
        int before = platform.region.warmed();

        assertThat(found()).containsExactly("BYTES_MISSING");
        assertThat(codes(fsck("POST", ""), "UNDER_WAY")).containsExactly("BYTES_MISSING");

        Await.until("it is filled again", () -> platform.region.warmed() > before);
    }

    @Test
    void fsckAddsAnUnknownCompleteCopyAndItsPinToItsWorkflow() throws Exception {
        frozen();
        mounted(false);
        pinnedInEtcd("kept");

        assertThat(found()).containsExactly("MOUNT_UNKNOWN", "PIN_UNKNOWN");
        List<JsonNode> repaired = fsck("POST", "");

        assertThat(codes(repaired, "UNDER_WAY")).containsExactly("MOUNT_UNKNOWN");
        assertThat(codes(repaired, "REPAIRED")).containsExactly("PIN_UNKNOWN");
        assertThat(platform.region.holds(v1(), "kept")).isTrue();
        Await.until("its workflow has it", () -> state().equals("CACHED"));
        awaitNothing();
    }

    @Test
    void fsckStartsASweepOfAnOrphanedPartialCopy() throws Exception {
        frozen();
        mounted(false);
        platform.gateway.setSurvey(INCOMPLETE);

        assertThat(found()).containsExactly("MOUNT_UNKNOWN");
        assertThat(codes(fsck("POST", ""), "UNDER_WAY")).containsExactly("MOUNT_UNKNOWN");

        Await.until("the sweep has removed it", () -> platform.region.hasDropped(v1()));
    }

    @Test
    void fsckFinishesTheEvictionOfAnOrphan() throws Exception {
        frozen();
        mounted(true);

        assertThat(found()).containsExactly("MOUNT_UNKNOWN");
        assertThat(codes(fsck("POST", ""), "UNDER_WAY")).containsExactly("MOUNT_UNKNOWN");

        Await.until("the sweep has removed it", () -> platform.region.hasDropped(v1()));
    }

    @Test
    void fsckFinishesAStoppedEviction() throws Exception {
        cached();
        mounted(true);

        assertThat(found()).containsExactly("EVICTION_STOPPED");
        assertThat(codes(fsck("POST", ""), "UNDER_WAY")).containsExactly("EVICTION_STOPPED");

        Await.until("it is gone", () -> platform.region.hasDropped(v1()));
    }

    @Test
    void fsckRestoresAPinThatEtcdLost() throws Exception {
        cached();
        api.post(
                version(name, "v1") + "/pins",
                "{\"region\":\"%s\",\"id\":\"p\",\"holder\":\"job\",\"lease_seconds\":300}"
                        .formatted(REGION));
        Await.until("the catalogue knows", () -> rows("pin").equals(List.of("p")));
        platform.region.unpin(v1(), "p");
        assertThat(platform.region.holds(v1(), "p")).isFalse();

        assertThat(found()).containsExactly("PIN_MISSING");
        assertThat(codes(fsck("POST", ""), "REPAIRED")).containsExactly("PIN_MISSING");

        assertThat(platform.region.holds(v1(), "p")).isTrue();
    }

    @Test
    void onlyADeepCheckFindsDamagedChunks() throws Exception {
        cached();
        platform.gateway.setVerified(
                "{\"next\":1,\"done\":true,\"intact\":1,\"repaired\":2,\"unanswered\":0}");
        try {
            assertThat(fsck("GET", "")).isEmpty();
            assertThat(codes(fsck("GET", "&deep=true"), "REPAIRED"))
                    .containsExactly("CHUNK_DAMAGED");
        } finally {
            platform.gateway.setVerified(
                    "{\"next\":1,\"done\":true,\"intact\":1,\"repaired\":0,\"unanswered\":0}");
        }
    }

    @Test
    void fsckReportsARegionThatDoesNotAnswer() {
        Api.Answer answer = api.get("/fsck?of=team/%s&after=regions:".formatted(name));

        assertThat(answer.body().get("findings"))
                .anySatisfy(
                        finding -> {
                            assertThat(finding.get("code").asText()).isEqualTo("REGION_SILENT");
                            assertThat(finding.get("region").asText())
                                    .isEqualTo(TestControlPlane.AWAY);
                        });
    }

    @Test
    void fsckNamesTheParameterThatItRefuses() {
        for (String query : List.of("of=Team", "of=team/a@", "deep=perhaps", "after=nothing:1")) {
            Api.Answer answer = api.get("/fsck?" + query);
            assertThat(answer.status()).as(query).isEqualTo(400);
            assertThat(answer.text("detail")).contains(query.substring(0, query.indexOf('=')));
        }
    }

    @Test
    void fsckOfOneVersionChecksOnlyThatVersion() throws IOException {
        frozen();
        Files.delete(pointer());

        Api.Answer other = api.get("/fsck?of=team/%s@v2&after=versions:".formatted(name));
        Api.Answer own = api.get("/fsck?of=team/%s@v1&after=versions:".formatted(name));

        assertThat(other.body().get("checked").asInt()).isZero();
        assertThat(own.body().get("checked").asInt()).isEqualTo(1);
        // Each page names the region that does not answer.
        assertThat(other.body().findValuesAsText("code")).containsExactly("REGION_SILENT");
        assertThat(own.body().findValuesAsText("code"))
                .containsExactly("REGION_SILENT", "POINTER_MISSING");
    }
}
