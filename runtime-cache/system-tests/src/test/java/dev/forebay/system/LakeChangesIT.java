package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static dev.forebay.system.RunningStack.KOREA;
import static dev.forebay.system.RunningStack.VIRGINIA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A lake that changes: "An object that changed in the lake" and "Blocked" in docs/semantics.md. */
@ExtendWith(SharedStack.class)
class LakeChangesIT {

    private final RunningStack stack;
    private final Api api;
    private final LakeFixture lake;

    LakeChangesIT(RunningStack stack) {
        this.stack = stack;
        this.api = stack.api();
        this.lake = stack.lake();
    }

    @Test
    void anOverwrittenObjectFailsWhileOtherObjectsStayReadable() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 10; i++) {
            tree.put(i + ".bin", bytes(i, 10_000));
        }
        lake.putAll("changes/", tree);
        api.register("changes/one", "s3://datasets/changes/", Duration.ofHours(1));
        api.ensure("changes/one@v1", KOREA);
        lake.put("changes/5.bin", bytes(555, 10_000));

        String request = api.accept("changes/one@v1", Map.of("region", VIRGINIA));
        Api.Answer outcome =
                api.outcome("changes/one@v1", VIRGINIA, request, Duration.ofMinutes(1));

        assertThat(outcome.code()).isEqualTo("LAKE_OBJECT_CHANGED");
        assertThat(outcome.body().get("detail").asText()).contains("changes/5.bin");
        JsonNode residency = api.residency("changes/one@v1", VIRGINIA);
        assertThat(residency.get("state").asText()).isEqualTo("BLOCKED");
        assertThat(residency.get("blocked").get("code").asText()).isEqualTo("LAKE_OBJECT_CHANGED");

        Path mounted = stack.awaitMounted(VIRGINIA, "changes/one@v1");
        assertThatThrownBy(() -> Files.readAllBytes(mounted.resolve("5.bin")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Input/output error");
        for (int i = 0; i < 10; i++) {
            if (i != 5) {
                assertThat(Files.readAllBytes(mounted.resolve(i + ".bin")))
                        .isEqualTo(tree.get(i + ".bin"));
            }
        }
        stack.readAll(KOREA, "changes/one@v1", tree);

        JsonNode next = api.ensure("changes/one@v2", VIRGINIA);
        assertThat(next.get("bytes_verified")).isEqualTo(next.get("bytes"));
        Path mountedNext = stack.awaitMounted(VIRGINIA, "changes/one@v2");
        assertThat(Files.readAllBytes(mountedNext.resolve("5.bin"))).isEqualTo(bytes(555, 10_000));
    }

    @Test
    void resumeFillsABlockedRegionOnceTheDeletedObjectIsBack() throws Exception {
        lake.putAll("back/", Map.of("a.bin", bytes(1, 100), "b.bin", bytes(2, 100)));
        api.register("changes/back", "s3://datasets/back/", Duration.ofHours(1));
        api.ensure("changes/back@v1", KOREA);
        lake.delete("back/b.bin");
        String request = api.accept("changes/back@v1", Map.of("region", VIRGINIA));
        assertThat(api.outcome("changes/back@v1", VIRGINIA, request, Duration.ofMinutes(1)).code())
                .isEqualTo("LAKE_OBJECT_CHANGED");
        lake.put("back/b.bin", bytes(2, 100));

        api.post(Api.path("changes/back@v1") + "/resume", Map.of("region", VIRGINIA)).expect(200);

        Await.until(
                "the region is CACHED",
                Duration.ofMinutes(1),
                () ->
                        api.residency("changes/back@v1", VIRGINIA)
                                .get("state")
                                .asText()
                                .equals("CACHED"));
    }

    @Test
    void anEmptyPrefixAndAMissingBucketAreRefusedWithTheReason() throws Exception {
        api.register("changes/empty", "s3://datasets/nothing-here/", Duration.ofHours(1));
        String empty = api.accept("changes/empty@v1", Map.of("region", KOREA));
        Api.Answer nothing = api.outcome("changes/empty@v1", KOREA, empty, Duration.ofMinutes(1));
        assertThat(nothing.code()).isEqualTo("LAKE_EMPTY");
        assertThat(nothing.body().get("detail").asText())
                .contains("'aws s3 ls s3://datasets/nothing-here/ --endpoint-url http://");

        api.register("changes/nobucket", "s3://no-such-bucket/x/", Duration.ofHours(1));
        String missing = api.accept("changes/nobucket@v1", Map.of("region", KOREA));
        Api.Answer answer =
                api.outcome("changes/nobucket@v1", KOREA, missing, Duration.ofMinutes(1));
        assertThat(answer.code()).isEqualTo("LAKE_EMPTY");
        assertThat(answer.body().get("detail").asText()).contains("no-such-bucket");
    }
}
