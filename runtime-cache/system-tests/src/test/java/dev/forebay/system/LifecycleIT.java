package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static dev.forebay.system.RunningStack.KOREA;
import static dev.forebay.system.RunningStack.VIRGINIA;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Residency from the first call to the scheduled eviction: "Residency" and "Versions" in
 * docs/semantics.md. The tests mostly wait, so they run concurrently.
 */
@ExtendWith(SharedStack.class)
@Execution(ExecutionMode.CONCURRENT)
class LifecycleIT {

    private static final int CHUNK = 8 << 20;

    /** Longer than the kernel caches names with either transport. */
    private static final Duration NAMES = Duration.ofSeconds(20);

    private final RunningStack stack;
    private final Api api;
    private final LakeFixture lake;

    LifecycleIT(RunningStack stack) {
        this.stack = stack;
        this.api = stack.api();
        this.lake = stack.lake();
    }

    /** "A receipt means every byte". */
    @Test
    void ensureVerifiesEveryByteAndASecondEnsureReadsNothingFromTheLake() throws Exception {
        Map<String, byte[]> tree = smallTree(1);
        lake.putAll("receipt/", tree);
        api.register("life/receipt", "s3://datasets/receipt/", Duration.ofHours(1));

        JsonNode receipt = api.ensure("life/receipt@v1", KOREA);

        long bytes = tree.values().stream().mapToLong(content -> content.length).sum();
        assertThat(receipt.get("bytes").asLong()).isEqualTo(bytes);
        assertThat(receipt.get("bytes_verified").asLong()).isEqualTo(bytes);
        assertThat(receipt.get("bytes_from_lake").asLong()).isEqualTo(bytes);
        assertThat(receipt.get("objects").asInt()).isEqualTo(tree.size());
        assertThat(receipt.get("path").asText()).endsWith("/life/receipt/v1");
        assertThat(receipt.get("workflow_id").asText()).isEqualTo("dataset/life/receipt@v1");
        Map<String, Integer> gets = lake.gets("receipt/");

        Api.Answer again =
                api.post(
                        Api.path("life/receipt@v1") + "/ensure?wait_seconds=10",
                        Map.of("region", KOREA));

        assertThat(again.expect(200).body().get("receipt").get("manifest_digest"))
                .isEqualTo(receipt.get("manifest_digest"));
        assertThat(lake.gets("receipt/")).isEqualTo(gets);
    }

    /** "A receipt means every byte", "Each byte is fetched once". */
    @Test
    void aHundredCallersCauseOneFill() throws Exception {
        Map<String, byte[]> tree = smallTree(2);
        lake.putAll("hundred/", tree);
        api.register("life/hundred", "s3://datasets/hundred/", Duration.ofHours(1));

        List<Future<JsonNode>> calls = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 100; i++) {
                calls.add(threads.submit(() -> api.ensure("life/hundred@v1", VIRGINIA)));
            }
        }

        for (Future<JsonNode> call : calls) {
            assertThat(call.get().get("bytes_verified")).isEqualTo(call.get().get("bytes"));
        }
        assertThat(lake.gets("hundred/")).isEqualTo(onceEach(tree));
    }

    /**
     * "Each byte is fetched once": one GET per region for each object of up to a chunk, and for
     * each chunk of a larger one.
     */
    @Test
    void eachRegionFetchesEachByteOnceHoweverOftenItIsRead() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>(smallTree(3));
        tree.put("shard.bin", bytes(33, 3 * CHUNK));
        lake.putAll("once/", tree);
        api.register("life/once", "s3://datasets/once/", Duration.ofHours(1));

        api.ensure("life/once@v1", KOREA);
        Map<String, Integer> first = lake.gets("once/");
        for (int pass = 0; pass < 2; pass++) {
            stack.readAll(KOREA, "life/once@v1", tree);
        }
        assertThat(lake.gets("once/")).isEqualTo(first);

        api.ensure("life/once@v1", VIRGINIA);
        stack.readAll(VIRGINIA, "life/once@v1", tree);

        Map<String, Integer> both = lake.gets("once/");
        tree.forEach(
                (path, content) -> {
                    if (content.length > 0 && content.length < CHUNK / 2) {
                        assertThat(both.get(path)).as(path).isBetween(2, 4);
                    }
                });
        assertThat(both.values().stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(2 * first.values().stream().mapToInt(Integer::intValue).sum());
    }

    /** "Versions share unchanged objects". */
    @Test
    void aNewVersionFetchesOnlyChangedObjects() throws Exception {
        Map<String, byte[]> tree = new TreeMap<>(smallTree(4));
        lake.putAll("delta/", tree);
        api.register("life/delta", "s3://datasets/delta/", Duration.ofHours(1));
        JsonNode v1 = api.ensure("life/delta@v1", KOREA);
        Map<String, Integer> before = lake.gets("delta/");
        Map<String, byte[]> changed = new TreeMap<>(tree);
        changed.put("a/1.bin", bytes(41, 5000));
        changed.put("z-new.bin", bytes(42, 70000));
        changed.remove("a/2.bin");
        lake.put("delta/a/1.bin", changed.get("a/1.bin"));
        lake.put("delta/z-new.bin", changed.get("z-new.bin"));
        lake.delete("delta/a/2.bin");

        JsonNode v2 = api.ensure("life/delta@v2", KOREA);

        Map<String, Integer> after = new TreeMap<>(lake.gets("delta/"));
        before.forEach((path, count) -> after.merge(path, -count, Integer::sum));
        after.values().removeIf(count -> count == 0);
        assertThat(after).isEqualTo(Map.of("a/1.bin", 1, "z-new.bin", 1));
        assertThat(v2.get("manifest_digest")).isNotEqualTo(v1.get("manifest_digest"));
        stack.readAll(KOREA, "life/delta@v2", changed);
        stack.readAll(KOREA, "life/delta@v1", tree);
        assertThat(stack.mounted(KOREA, "life/delta@v2").resolve("a/2.bin")).doesNotExist();

        api.post(Api.path("life/delta@v1") + "/evict", Map.of("region", KOREA)).expect(200);
        stack.readAll(KOREA, "life/delta@v2", changed);
        assertThat(lake.countGets("delta/"))
                .isEqualTo(before.values().stream().mapToInt(Integer::intValue).sum() + 2);
    }

    /** "Versions share unchanged objects", "Eviction". */
    @Test
    void evictionRemovesOnlyTheChunksThatNoOtherVersionNeeds() throws Exception {
        byte[] large = bytes(61, 2 * CHUNK);
        Map<String, byte[]> rest = smallTree(6);
        lake.put("shared-pack/0-large.bin", large);
        lake.putAll("shared-pack/", rest);
        api.register("life/shared-pack", "s3://datasets/shared-pack/", Duration.ofHours(1));
        api.ensure("life/shared-pack@v1", KOREA);
        lake.delete("shared-pack/0-large.bin");
        api.ensure("life/shared-pack@v2", KOREA);
        assertThat(chunksBeginningAs(large, KOREA)).isEqualTo(1);
        Map<String, Integer> before = lake.gets("shared-pack/");

        api.post(Api.path("life/shared-pack@v1") + "/evict", Map.of("region", KOREA)).expect(200);

        assertThat(chunksBeginningAs(large, KOREA)).isZero();
        stack.readAll(KOREA, "life/shared-pack@v2", rest);
        assertThat(lake.gets("shared-pack/")).isEqualTo(before);
    }

    /**
     * Returns the number of chunk files in the region that start with the same bytes as an object.
     */
    private int chunksBeginningAs(byte[] object, String region) throws IOException {
        byte[] beginning = Arrays.copyOf(object, 4096);
        int found = 0;
        for (int worker = 0; worker < 2; worker++) {
            for (Path file : stack.chunkFiles(region, worker)) {
                try (InputStream in = Files.newInputStream(file)) {
                    found += Arrays.equals(in.readNBytes(beginning.length), beginning) ? 1 : 0;
                } catch (NoSuchFileException goneMeanwhile) {
                    // It belonged to another version.
                }
            }
        }
        return found;
    }

    /** "A version never changes". */
    @Test
    void aSecondRegionGetsTheSameManifestAlthoughTheLakeChanged() throws Exception {
        lake.putAll("frozen/", smallTree(5));
        api.register("life/frozen", "s3://datasets/frozen/", Duration.ofHours(1));
        JsonNode first = api.ensure("life/frozen@v1", KOREA);
        lake.put("frozen/late.bin", bytes(51, 100));

        JsonNode second = api.ensure("life/frozen@v1", VIRGINIA);

        assertThat(second.get("manifest_digest")).isEqualTo(first.get("manifest_digest"));
        assertThat(stack.awaitMounted(VIRGINIA, "life/frozen@v1").resolve("late.bin"))
                .doesNotExist();
    }

    /** "Pins", "Time to live", "Eviction", "Freshness of names". */
    @Test
    void aPinPreventsEvictionUntilItIsReleasedAndThenTheScheduleEvicts() throws Exception {
        Map<String, byte[]> tree = smallTree(6);
        lake.putAll("pinned/", tree);
        api.register("life/pinned", "s3://datasets/pinned/", Duration.ofSeconds(2));
        Path mounted = stack.mounted(VIRGINIA, "life/pinned@v1");
        assertThat(mounted).doesNotExist();
        String request =
                api.accept(
                        "life/pinned@v1",
                        Map.of(
                                "region",
                                VIRGINIA,
                                "pin",
                                Map.of("id", "run-1", "holder", "test", "lease_seconds", 600)));
        JsonNode receipt = api.receipt("life/pinned@v1", VIRGINIA, request, Duration.ofMinutes(1));
        assertThat(receipt.get("pin").get("id").asText()).isEqualTo("run-1");
        Await.until("the path is there", NAMES, () -> Files.exists(mounted));

        Api.Answer refused =
                api.post(Api.path("life/pinned@v1") + "/evict", Map.of("region", VIRGINIA))
                        .expect(409);
        assertThat(refused.code()).isEqualTo("PINNED");
        assertThat(refused.body().toString()).contains("test");
        awaitEvictionOfACanary();
        assertThat(api.residency("life/pinned@v1", VIRGINIA).get("state").asText())
                .isEqualTo("CACHED");
        stack.readAll(VIRGINIA, "life/pinned@v1", tree);

        api.delete(Api.path("life/pinned@v1") + "/pins/run-1?region=" + VIRGINIA).expect(204);

        Await.until(
                "the schedule has evicted the version",
                Duration.ofSeconds(60),
                () ->
                        api.residency("life/pinned@v1", VIRGINIA)
                                .get("state")
                                .asText()
                                .equals("ABSENT"));
        Await.until("the path is gone", NAMES, () -> !Files.exists(mounted));
    }

    /** "Pins": the pin of a holder that dies ends one lease later. */
    @Test
    void aPinThatIsNotRenewedExpires() throws Exception {
        lake.putAll("leaked/", smallTree(7));
        api.register("life/leaked", "s3://datasets/leaked/", Duration.ofHours(1));
        api.ensure("life/leaked@v1", KOREA);
        api.post(
                        Api.path("life/leaked@v1") + "/pins",
                        Map.of(
                                "region",
                                KOREA,
                                "id",
                                "dies",
                                "holder",
                                "gone",
                                "lease_seconds",
                                10))
                .expect(201);
        api.post(
                        Api.path("life/leaked@v1") + "/pins",
                        Map.of(
                                "region",
                                KOREA,
                                "id",
                                "lives",
                                "holder",
                                "here",
                                "lease_seconds",
                                10))
                .expect(201);

        Await.until(
                "the pin without renewal has ended, the other has not",
                Duration.ofSeconds(60),
                () -> {
                    api.post(
                                    Api.path("life/leaked@v1") + "/pins/lives/renew",
                                    Map.of("region", KOREA))
                            .expect(200);
                    JsonNode pins =
                            api.get(Api.path("life/leaked@v1") + "/pins").body().get("items");
                    return pins.size() == 1 && pins.get(0).get("id").asText().equals("lives");
                });
        api.delete(Api.path("life/leaked@v1") + "/pins/lives?region=" + KOREA).expect(204);
        assertThat(
                        api.post(
                                        Api.path("life/leaked@v1") + "/pins/dies/renew",
                                        Map.of("region", KOREA))
                                .status())
                .isEqualTo(404);
    }

    /** "A receipt means every byte", even if the region's etcd was restored during the fill. */
    @Test
    void aFillWhoseMountIsLostMountsTheVersionAgain() throws Exception {
        CrashDataset dataset = CrashDataset.of("life/forgotten", 12, 0);
        dataset.register(stack);
        ByteSequence mount =
                ByteSequence.from("/forebay/" + KOREA + "/mounts/life/forgotten/v1", UTF_8);
        String request;
        try (Client etcd =
                        Client.builder().endpoints(stack.region(KOREA).etcd().endpoint()).build();
                LakeGate gate = LakeGate.close(stack, dataset.prefix(), 4)) {
            request = api.accept(dataset.version(), Map.of("region", KOREA));
            gate.awaitHeld();

            assertThat(etcd.getKVClient().delete(mount).get(10, SECONDS).getDeleted()).isEqualTo(1);
        }

        JsonNode receipt = api.receipt(dataset.version(), KOREA, request, Duration.ofMinutes(2));
        assertThat(receipt.get("bytes_verified").asLong()).isEqualTo(dataset.bytes());
        stack.readAll(KOREA, dataset.version(), dataset.tree());
        // Complete chunks stay. Only requests that were running are sent again.
        assertThat(dataset.gets(stack)).isLessThanOrEqualTo(2 * dataset.chunks() - 4);
        api.post(Api.path(dataset.version()) + "/evict", Map.of("region", KOREA)).expect(200);
    }

    /** Waits until a sweep that started after this call has evicted an unpinned version. */
    private void awaitEvictionOfACanary() throws Exception {
        lake.put("canary/x", bytes(9, 10));
        api.register("life/canary", "s3://datasets/canary/", Duration.ofSeconds(2));
        api.ensure("life/canary@v1", VIRGINIA);
        Await.until(
                "the canary is evicted",
                Duration.ofSeconds(60),
                () ->
                        api.residency("life/canary@v1", VIRGINIA)
                                .get("state")
                                .asText()
                                .equals("ABSENT"));
    }

    private static Map<String, byte[]> smallTree(int seed) {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 20; i++) {
            tree.put("a/" + i + ".bin", bytes(seed * 100L + i, 1000 + 997 * i));
        }
        return tree;
    }

    private static Map<String, Integer> onceEach(Map<String, byte[]> tree) {
        Map<String, Integer> once = new TreeMap<>();
        tree.keySet().forEach(path -> once.put(path, 1));
        return once;
    }
}
