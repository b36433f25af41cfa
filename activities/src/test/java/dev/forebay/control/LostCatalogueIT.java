package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.testing.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** "A name keeps its manifest", although PostgreSQL has lost a dataset. */
class LostCatalogueIT {

    private static final String IN = "{\"region\":\"" + REGION + "\",\"create\":true}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    private String frozen(String name, String version) {
        Api.Answer answer = api.post(version(name, version) + "/ensure?wait_seconds=30", IN);
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        return digest(name, version);
    }

    private String digest(String name, String version) {
        Api.Answer answer = api.get(version(name, version));
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
        return answer.body().at("/manifest/digest").asText();
    }

    /**
     * As after the restore of a backup that is older than the dataset. Takes the lock first: the
     * version's workflow may be writing, and must wait until it finds no version.
     */
    private void lose(String name) throws SQLException {
        try (Connection database = platform.database()) {
            database.setAutoCommit(false);
            for (String statement :
                    List.of(
                            "select id from version where id like ? for update",
                            "delete from request where version like ?",
                            "delete from residency where version like ?",
                            "delete from pin where version like ?",
                            "delete from origin where version like ?",
                            "delete from version where id like ?",
                            "delete from dataset where id like ?")) {
                try (PreparedStatement step = database.prepareStatement(statement)) {
                    step.setString(1, "team/" + name + "%");
                    step.execute();
                }
            }
            database.commit();
        }
    }

    private void terminate(String name, String version) {
        platform.region.terminate("dataset/team/%s@%s".formatted(name, version));
    }

    private Api.Answer register(String name, String source) {
        return api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"%s\",\"source\":\"s3://lake/%s/\"}"
                        .formatted(name, source));
    }

    /** Restores all pages and returns the problems of the dataset's versions. */
    private List<String> restore(String name) {
        List<String> problems = new ArrayList<>();
        String next = "";
        while (next != null) {
            Api.Answer answer =
                    api.post("/catalogue/restore" + (next.isEmpty() ? "" : "?after=" + next), "");
            assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
            answer.body().get("problems").forEach(problem -> problems.add(problem.asText()));
            JsonNode after = answer.body().get("next");
            next = after == null || after.isNull() ? null : after.asText();
        }
        return problems.stream().filter(problem -> problem.contains(name + "@")).toList();
    }

    @Test
    void aVersionKeepsItsManifestAlthoughTheLakeChanged() throws Exception {
        String name = platform.dataset(3600);
        String before = frozen(name, "v1");
        lose(name);
        terminate(name, "v1");
        platform.put(name + "/later.txt", "it was not there");
        assertThat(register(name, name).status()).isEqualTo(201);

        assertThat(frozen(name, "v1")).isEqualTo(before);
        assertThat(frozen(name, "v2")).isNotEqualTo(before);
    }

    /** A mistyped name would otherwise become the dataset's first version, and its latest. */
    @Test
    void aMistypedNameIsRefusedUntilTheCatalogueIsRestored() throws Exception {
        String name = platform.dataset(3600);
        String _ = frozen(name, "v1");
        lose(name);
        terminate(name, "v1");
        assertThat(register(name, name).status()).isEqualTo(201);

        Api.Answer refused =
                api.post(
                        version(name, "v1-typo") + "/ensure?wait_seconds=30",
                        "{\"region\":\"" + REGION + "\"}");

        assertThat(refused.status()).as(refused.raw().body()).isEqualTo(404);
        assertThat(refused.text("detail"))
                .contains("such as v1", "'forebay restore-catalogue'", "--create");
        assertThat(api.get(version(name, "v1-typo")).status()).isEqualTo(404);
    }

    @Test
    void aVersionNameCannotBeReusedForAnotherSource() throws Exception {
        String name = platform.dataset(3600);
        String other = platform.dataset(3600);
        String before = frozen(name, "v1");
        lose(name);
        terminate(name, "v1");
        assertThat(register(name, other).status()).isEqualTo(201);

        Api.Answer refused = api.post(version(name, "v1") + "/ensure?wait_seconds=30", IN);

        assertThat(refused.status()).as(refused.raw().body()).isEqualTo(409);
        assertThat(refused.text("detail")).contains("was frozen from s3://lake/" + name + "/");
        assertThat(restore(name)).singleElement().asString().contains("is registered with");
        lose(name);
        terminate(name, "v1");
        assertThat(restore(name)).isEmpty();
        assertThat(digest(name, "v1")).isEqualTo(before);
    }

    @Test
    void restoreRecreatesDatasetsAndVersionsInTheirOrder() throws Exception {
        String name = platform.dataset(1234, "read");
        String first = frozen(name, "z-first");
        platform.put(name + "/later.txt", "it was not there");
        String second = frozen(name, "a-second");
        JsonNode dataset = api.get("/datasets/team/" + name).body();
        lose(name);
        assertThat(api.get("/datasets/team/" + name).status()).isEqualTo(404);

        assertThat(restore(name)).isEmpty();

        JsonNode restored = api.get("/datasets/team/" + name).body();
        for (String field : List.of("source", "ttl_seconds", "ttl_after")) {
            assertThat(restored.get(field)).as(field).isEqualTo(dataset.get(field));
        }
        assertThat(digest(name, "z-first")).isEqualTo(first);
        assertThat(digest(name, "a-second")).isEqualTo(second);
        assertThat(order(name))
                .containsExactly("team/" + name + "@z-first", "team/" + name + "@a-second");
        assertThat(restore(name)).as("again").isEmpty();
    }

    private List<String> order(String name) throws SQLException {
        try (Connection database = platform.database();
                PreparedStatement select =
                        database.prepareStatement(
                                "select id from version where dataset = ? order by created_at")) {
            select.setString(1, "team/" + name);
            List<String> ids = new ArrayList<>();
            try (var rows = select.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getString(1));
                }
            }
            return ids;
        }
    }

    @Test
    void restoreReportsAnUnreadablePointerAndContinues() throws Exception {
        String name = platform.dataset(3600);
        String first = frozen(name, "v1");
        String _ = frozen(name, "v2");
        lose(name);
        Path pointer = pointer(name, "v2");
        byte[] written = Files.readAllBytes(pointer);
        Files.writeString(pointer, "{\"version\":\"hunter2\"}");
        try {
            assertThat(restore(name))
                    .singleElement()
                    .asString()
                    .contains("v2")
                    .doesNotContain("hunter");
            assertThat(digest(name, "v1")).isEqualTo(first);
            assertThat(api.get(version(name, "v2")).status()).isEqualTo(404);
        } finally {
            Files.write(pointer, written);
        }
    }

    @Test
    void restoreRejectsAPointerWithAWrongChecksum() throws Exception {
        String name = platform.dataset(3600);
        String _ = frozen(name, "v1");
        lose(name);
        terminate(name, "v1");
        Path pointer = pointer(name, "v1");
        String written = Files.readString(pointer);
        Files.writeString(pointer, written.replace("\"bytes\":", "\"bytes\":9"));
        try {
            assertThat(restore(name))
                    .singleElement()
                    .asString()
                    .contains(name + "@v1.json does not have its checksum");
            assertThat(api.get(version(name, "v1")).status()).isEqualTo(404);
        } finally {
            Files.writeString(pointer, written);
        }
        assertThat(restore(name)).isEmpty();
        assertThat(api.get(version(name, "v1")).status()).isEqualTo(200);
    }

    /** The version of the unknown pointer is the first one, so all others come after it. */
    @Test
    void restoreReportsAPointerOfALaterReleaseAndContinues() throws Exception {
        String name = platform.dataset(3600);
        String first = frozen(name, "v1");
        lose(name);
        Path later = pointer(name, "a");
        Files.writeString(
                later,
                Files.readString(pointer(name, "v1"))
                        .replace(name + "@v1", name + "@a")
                        .replaceFirst("\"ttl_after\":\"[A-Z]+\"", "\"ttl_after\":\"NEVER\""));
        PointerFile.seal(later);
        try {
            assertThat(restore(name))
                    .singleElement()
                    .asString()
                    .contains(name + "@a", "cannot read");
            assertThat(digest(name, "v1")).isEqualTo(first);
        } finally {
            Files.delete(later);
        }
    }

    private Path pointer(String name, String version) throws IOException {
        return platform.manifestBucket()
                .resolve("versions/team")
                .resolve("%s@%s.json".formatted(name, version));
    }
}
