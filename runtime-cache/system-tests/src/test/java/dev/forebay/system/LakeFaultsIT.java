package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.fault.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A lake that throttles, truncates, is slow and sends wrong bytes, and a version that never fits.
 */
@ExtendWith(NarrowStack.class)
class LakeFaultsIT {

    private static final String REGION = NarrowStack.REGION;
    private static final int CHUNK = NarrowStack.CHUNK;

    private final RunningStack stack;

    LakeFaultsIT(RunningStack stack) {
        this.stack = stack;
    }

    @AfterEach
    void mend() {
        stack.lakeProxy().spoil(request -> Fault.NONE);
    }

    /** "A mount shows the manifest's bytes or an error": with any fault of the lake. */
    @Test
    void aFillCompletesCorrectlyDespiteErrorsTruncationAndDelays() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 30; i++) {
            tree.put("small/" + i, bytes(i, 20_000 + i));
        }
        tree.put("large", bytes(99, 2 * CHUNK + 1));
        stack.lake().putAll("faulty/", tree);
        stack.api().register("faults/faulty", "s3://datasets/faulty/", Duration.ofHours(1));
        long seed = System.nanoTime();
        Random random = new Random(seed);
        stack.lakeProxy()
                .spoil(
                        request -> {
                            synchronized (random) {
                                return switch (random.nextInt(8)) {
                                    case 0 -> new Fault.Status(503);
                                    case 1 -> new Fault.Status(500);
                                    case 2 -> new Fault.Truncate(random.nextInt(15_000));
                                    case 3 -> new Fault.Delay(Duration.ofMillis(300));
                                    default -> Fault.NONE;
                                };
                            }
                        });

        JsonNode receipt = stack.api().ensure("faults/faulty@v1", REGION);

        assertThat(receipt.get("bytes_verified"))
                .as("seed %d", seed)
                .isEqualTo(receipt.get("bytes"));
        stack.readAll(REGION, "faults/faulty@v1", tree);
    }

    /**
     * "A mount shows the manifest's bytes or an error": a bit that flips in transit is detected and
     * the object fetched again.
     */
    @Test
    void aFillFetchesAnObjectWithAFlippedBitAgain() throws Exception {
        Map<String, byte[]> tree = Map.of("one", bytes(1, 50_000));
        stack.lake().putAll("flipped/", tree);
        stack.api().register("faults/flipped", "s3://datasets/flipped/", Duration.ofHours(1));
        stack.lakeProxy()
                .spoil(
                        request ->
                                request.target().contains("/flipped/one") && request.number() < 6
                                        ? new Fault.Flip(12_345)
                                        : Fault.NONE);

        stack.api().ensure("faults/flipped@v1", REGION);

        stack.readAll(REGION, "faults/flipped@v1", tree);
    }

    /** "Errors": the reader of a cold file waits for a slow lake and gets the right bytes. */
    @Test
    void aFillWaitsForASlowLake() throws Exception {
        Map<String, byte[]> tree = Map.of("slow", bytes(2, 300_000));
        stack.lake().putAll("slow/", tree);
        stack.api().register("faults/slow", "s3://datasets/slow/", Duration.ofHours(1));
        stack.lakeProxy()
                .spoil(
                        request ->
                                request.target().contains("/slow/slow")
                                        ? new Fault.Slow(100_000)
                                        : Fault.NONE);

        stack.api().ensure("faults/slow@v1", REGION);

        stack.readAll(REGION, "faults/slow@v1", tree);
    }

    /**
     * "Names": keys that cannot be paths fail the ingest, and the error names them. The lake of
     * this test cannot store such keys either, so the proxy renames keys in its listings.
     */
    @Test
    void ingestNamesKeysThatCannotBePathsAndSucceedsOnceTheyAreRenamed() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (String key : List.of("--/x", "a__b", "both", "both_b", "good")) {
            tree.put(key, bytes(key.hashCode(), 1000));
        }
        stack.lake().putAll("names/", tree);
        stack.api().register("faults/names", "s3://datasets/names/", Duration.ofHours(1));
        stack.lakeProxy()
                .spoil(
                        request ->
                                request.target().contains("list-type=2")
                                        ? new Fault.Rewrite(
                                                listing ->
                                                        listing.replace("names/--/x", "names/../x")
                                                                .replace("names/a__b", "names/a//b")
                                                                .replace(
                                                                        "names/both_b",
                                                                        "names/both/b"))
                                        : Fault.NONE);

        String request = stack.api().accept("faults/names@v1", Map.of("region", REGION));
        Api.Answer answer =
                stack.api().outcome("faults/names@v1", REGION, request, Duration.ofMinutes(1));

        assertThat(answer.code()).isEqualTo("INVALID_KEY");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.body().get("detail").asText())
                .contains("'names/../x' has a component ..")
                .contains("'names/a//b' has an empty component")
                .contains("'names/both/b' is below 'names/both', which is a file")
                .contains("Rename")
                .contains(
                        "'forebay datasets register faults/names-2 s3://datasets/names/ --exclude \"??/x\" --exclude \"a/*/b\" --exclude both'")
                .doesNotContain("good");
        JsonNode residency = stack.api().residency("faults/names@v1", REGION);
        assertThat(residency.get("state").asText()).isEqualTo("BLOCKED");
        assertThat(residency.get("blocked").get("code").asText()).isEqualTo("INVALID_KEY");

        // The exclusions that the error suggests work.
        stack.api()
                .post(
                        "/datasets",
                        Map.of(
                                "namespace", "faults",
                                "name", "names-2",
                                "source", "s3://datasets/names/",
                                "exclude", List.of("??/x", "a/*/b", "both")))
                .expect(201);
        stack.api().post("/datasets/faults/names-2/versions/v1/freeze", Map.of()).expect(200);

        stack.lakeProxy().spoil(spared -> Fault.NONE);
        stack.api().ensure("faults/names@v1", REGION);
        stack.readAll(REGION, "faults/names@v1", tree);
    }

    /**
     * "Blocked", "An object that changed in the lake": the region stays blocked until access is
     * granted again and an operator resumes it.
     */
    @Test
    void anObjectThatTheLakeDeniesBlocksTheRegionUntilItIsResumed() throws Exception {
        Map<String, byte[]> tree = Map.of("one", bytes(4, 50_000), "two", bytes(5, 50_000));
        stack.lake().putAll("denied/", tree);
        stack.api().register("faults/denied", "s3://datasets/denied/", Duration.ofHours(1));
        stack.lakeProxy()
                .spoil(
                        request ->
                                request.target().contains("/denied/two")
                                        ? new Fault.Status(403)
                                        : Fault.NONE);

        String request =
                stack.api()
                        .accept(
                                "faults/denied@v1",
                                Map.of(
                                        "region",
                                        REGION,
                                        "pin",
                                        Map.of("holder", "test", "lease_seconds", 600)));
        Api.Answer answer =
                stack.api().outcome("faults/denied@v1", REGION, request, Duration.ofMinutes(1));

        assertThat(answer.code()).isEqualTo("LAKE_DENIED");
        JsonNode residency = stack.api().residency("faults/denied@v1", REGION);
        assertThat(residency.get("state").asText()).isEqualTo("BLOCKED");
        assertThat(residency.at("/blocked/code").asText()).isEqualTo("LAKE_DENIED");
        assertThat(residency.at("/blocked/message").asText())
                .contains("denied/two", "s3:GetObject");
        assertThat(stack.api().get(Api.path("faults/denied@v1") + "/pins").body().get("items"))
                .isEmpty();
        Path mounted = stack.awaitMounted(REGION, "faults/denied@v1");
        assertThat(Files.readAllBytes(mounted.resolve("one")))
                .as("a neighbour in the same block")
                .isEqualTo(tree.get("one"));
        assertThatThrownBy(() -> Files.readAllBytes(mounted.resolve("two")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Input/output error");
        Map<String, byte[]> other = Map.of("other", bytes(6, 50_000));
        stack.lake().putAll("allowed/", other);
        stack.api().register("faults/allowed", "s3://datasets/allowed/", Duration.ofHours(1));
        stack.api().ensure("faults/allowed@v1", REGION);
        stack.readAll(REGION, "faults/allowed@v1", other);

        mend();
        stack.api()
                .post(Api.path("faults/denied@v1") + "/resume", Map.of("region", REGION))
                .expect(200);
        Await.until(
                "it is cached",
                Duration.ofSeconds(60),
                () ->
                        stack.api()
                                .residency("faults/denied@v1", REGION)
                                .get("state")
                                .asText()
                                .equals("CACHED"));
        stack.readAll(REGION, "faults/denied@v1", tree);
    }

    /**
     * "Blocked": a version that cannot fit is refused with the reason, and does not affect others.
     */
    @Test
    void aVersionThatNeverFitsIsRefusedBeforeAnyFetchAndOtherVersionsStay() throws Exception {
        Map<String, byte[]> kept = Map.of("kept", bytes(3, 3 * CHUNK));
        stack.lake().putAll("kept/", kept);
        stack.api().register("faults/kept", "s3://datasets/kept/", Duration.ofHours(1));
        stack.api().ensure("faults/kept@v1", REGION);
        stack.api()
                .post(
                        Api.path("faults/kept@v1") + "/pins",
                        Map.of("region", REGION, "id", "p", "holder", "test", "lease_seconds", 600))
                .expect(201);
        Map<String, byte[]> big = new TreeMap<>();
        for (int i = 0; i < 24; i++) {
            big.put("part-" + i, bytes(1000 + i, CHUNK));
        }
        stack.lake().putAll("big/", big);
        stack.api().register("faults/big", "s3://datasets/big/", Duration.ofHours(1));

        String request = stack.api().accept("faults/big@v1", Map.of("region", REGION));
        Api.Answer answer =
                stack.api().outcome("faults/big@v1", REGION, request, Duration.ofMinutes(3));

        assertThat(answer.code()).isEqualTo("TOO_LARGE");
        assertThat(stack.lake().gets("big/")).isEmpty();
        Map<String, Integer> gets = stack.lake().gets("kept/");
        stack.readAll(REGION, "faults/kept@v1", kept);
        assertThat(stack.lake().gets("kept/")).isEqualTo(gets);
        stack.api().delete(Api.path("faults/kept@v1") + "/pins/p?region=" + REGION).expect(204);
    }
}
