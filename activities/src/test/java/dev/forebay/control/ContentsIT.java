package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.testing.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contents of versions, and their differences. */
class ContentsIT {

    private static final long LONG = 3600;

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    private void freeze(String name, String version) {
        Api.Answer frozen = api.post(version(name, version) + "/freeze", "");
        assertThat(frozen.status()).as(frozen.raw().body()).isEqualTo(200);
    }

    /** Returns the items of all pages. */
    private List<JsonNode> all(String path, int limit) {
        List<JsonNode> found = new ArrayList<>();
        String after = "";
        while (true) {
            String cut = path.contains("?") ? "&" : "?";
            Api.Answer page = api.get(path + cut + "limit=" + limit + after);
            assertThat(page.status()).as(page.raw().body()).isEqualTo(200);
            assertThat(page.body().get("items").size()).isLessThanOrEqualTo(limit);
            page.body().get("items").forEach(found::add);
            if (page.body().get("next").isNull()) {
                return found;
            }
            after = "&after=" + page.text("next");
        }
    }

    /** "Comparing two versions". */
    @Test
    void aDiffListsTheChangesBetweenTwoVersions() throws IOException {
        String name = platform.dataset(LONG);
        freeze(name, "v1");
        // The test server stores plain files without ETags, so sizes must differ.
        platform.put(name + "/a.txt", "longer");
        platform.put(name + "/b/d.txt", "new");
        Files.delete(platform.s3.bucketDirectory("lake").resolve(name + "/b/c.txt"));
        freeze(name, "v2");

        String diff = version(name, "v2") + "/diff?from=v1";
        List<JsonNode> found = all(diff, 100);

        assertThat(found)
                .extracting(it -> it.get("change").asText() + " " + it.get("path").asText())
                .containsExactly("changed a.txt", "removed b/c.txt", "added b/d.txt");
        assertThat(found.getFirst().get("bytes_before").asLong()).isEqualTo(5);
        assertThat(found.getFirst().get("bytes").asLong()).isEqualTo(6);
        assertThat(found.get(1).get("bytes").isNull()).isTrue();
        assertThat(found.get(2).get("bytes_before").isNull()).isTrue();
        assertThat(all(diff, 1)).isEqualTo(found);
        assertThat(all(version(name, "v1") + "/diff?from=latest", 100)).hasSize(3);
        assertThat(all(version(name, "v1") + "/diff?from=v1", 100)).isEmpty();
    }

    @Test
    void theObjectsOfAVersionAreListed() {
        String name = platform.dataset(LONG);
        freeze(name, "v1");
        String objects = version(name, "v1") + "/objects";

        List<JsonNode> found = all(objects, 100);

        assertThat(found)
                .extracting(it -> it.get("path").asText())
                .containsExactly("a.txt", "b/c.txt");
        assertThat(found.getFirst().get("key").asText()).isEqualTo(name + "/a.txt");
        assertThat(found.getFirst().get("bytes").asLong()).isEqualTo(5);
        assertThat(found.getFirst().get("etag").isTextual()).isTrue();
        assertThat(all(objects, 1)).isEqualTo(found);
        assertThat(all(objects + "?folder=b", 100)).containsExactly(found.get(1));
        Api.Answer nothing = api.get(objects + "?folder=nowhere");
        assertThat(nothing.status()).isEqualTo(404);
        assertThat(nothing.text("detail")).contains("no files below 'nowhere/'");
    }

    @Test
    void badDiffAndObjectQueriesAreRefused() {
        String name = platform.dataset(LONG);
        freeze(name, "v1");

        Api.Answer unknown = api.get(version(name, "v1") + "/diff?from=v11");
        Api.Answer missing = api.get(version(name, "v1") + "/diff");

        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.text("detail")).contains("similar names are v1");
        assertThat(missing.status()).isEqualTo(400);
        assertThat(missing.text("field")).isEqualTo("from");
        assertThat(api.get(version(name, "v1") + "/objects?limit=1001").status()).isEqualTo(400);
        assertThat(api.get(version(name, "v1") + "/objects?folder=/b").status()).isEqualTo(400);
    }
}
