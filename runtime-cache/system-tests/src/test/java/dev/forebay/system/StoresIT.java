package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static dev.forebay.system.RunningStack.KOREA;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * "Repairing inconsistent stores", after one store was restored from an older backup than the
 * others, on real servers. Other tests use the stores concurrently, so each test rolls back only
 * the entries of one dataset.
 */
@ExtendWith(SharedStack.class)
class StoresIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final RunningStack stack;
    private final Api api;
    private final LakeFixture lake;

    StoresIT(RunningStack stack) {
        this.stack = stack;
        this.api = stack.api();
        this.lake = stack.lake();
    }

    private Map<String, byte[]> ensured(String name, int seed, Duration ttl) throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 10; i++) {
            tree.put(i + ".bin", bytes(70_000 + seed * 100L + i, 1000 + 997 * i));
        }
        lake.putAll(name + "/", tree);
        api.register("stores/" + name, "s3://datasets/" + name + "/", ttl);
        api.ensure("stores/" + name + "@v1", KOREA);
        return tree;
    }

    private void pin(String version, String id) throws Exception {
        api.post(
                        Api.path(version) + "/pins",
                        Map.of("region", KOREA, "id", id, "holder", "test", "lease_seconds", 600))
                .expect(201);
    }

    /** Returns the findings of all pages. */
    private List<JsonNode> fsck(String method, String of, boolean deep) throws Exception {
        List<JsonNode> findings = new ArrayList<>();
        String after = "";
        while (true) {
            String path = "/fsck?of=%s&deep=%s&after=%s".formatted(of, deep, after);
            JsonNode page = api.send(method, path, null, null).expect(200).body();
            page.get("findings").forEach(findings::add);
            if (!page.path("next").isTextual()) {
                return findings;
            }
            after = page.get("next").asText();
        }
    }

    private static List<String> codes(List<JsonNode> findings) {
        return findings.stream().map(finding -> finding.get("code").asText()).toList();
    }

    /** Repairs, and waits until the workflows have done their part. */
    private void repair(String of) throws Exception {
        assertThat(fsck("POST", of, false))
                .allSatisfy(
                        finding ->
                                assertThat(finding.get("state").asText())
                                        .as(finding.toString())
                                        .isIn("REPAIRED", "UNDER_WAY"));
        Await.until("fsck finds nothing", TIMEOUT, () -> fsck("GET", of, false).isEmpty());
    }

    private static ByteSequence key(String kind, String version) {
        return ByteSequence.from(
                "/forebay/%s/%s/%s".formatted(KOREA, kind, version.replace('@', '/')), UTF_8);
    }

    private List<String> pinsInEtcd(String version) throws Exception {
        List<String> ids = new ArrayList<>();
        new RegionGateway(stack.region(KOREA).agent().address())
                .pins()
                .forEach(
                        pin -> {
                            JsonNode of = pin.get("version");
                            String name =
                                    "%s/%s@%s"
                                            .formatted(
                                                    of.at("/dataset/namespace").asText(),
                                                    of.at("/dataset/name").asText(),
                                                    of.get("version").asText());
                            if (name.equals(version)) {
                                ids.add(pin.get("id").asText());
                            }
                        });
        return ids;
    }

    @Test
    void fsckRestoresMissingRowsInEtcdAndRemovesStaleOnes() throws Exception {
        String later = "stores/etcd-later@v1";
        String left = "stores/etcd-left@v1";
        Map<String, byte[]> _ = ensured("etcd-left", 1, Duration.ofHours(1));
        try (Client etcd =
                Client.builder().endpoints(stack.region(KOREA).etcd().endpoint()).build()) {
            KV keys = etcd.getKVClient();
            ByteSequence mount =
                    keys.get(key("mounts", left)).get(10, SECONDS).getKvs().getFirst().getValue();
            Map<String, byte[]> tree = ensured("etcd-later", 2, Duration.ofHours(1));
            pin(later, "p");
            api.post(Api.path(left) + "/evict", Map.of("region", KOREA)).expect(200);
            int gets = lake.countGets("etcd-later/");

            keys.delete(key("pins", later + "/p")).get(10, SECONDS);
            keys.delete(key("mounts", later)).get(10, SECONDS);
            keys.put(key("mounts", left), mount).get(10, SECONDS);

            assertThat(codes(fsck("GET", "stores/etcd-later", false)))
                    .containsExactly("MOUNT_MISSING", "PIN_MISSING");
            repair("stores/etcd-later");
            assertThat(pinsInEtcd(later)).containsExactly("p");
            assertThat(lake.countGets("etcd-later/")).as("chunks were still there").isEqualTo(gets);
            stack.readAll(KOREA, later, tree);
            repair("stores/etcd-left");
            Await.until(
                    "the mount of the evicted version is gone again",
                    TIMEOUT,
                    () -> keys.get(key("mounts", left)).get(10, SECONDS).getKvs().isEmpty());
        }
        api.delete(Api.path(later) + "/pins/p?region=" + KOREA).expect(204);
    }

    /**
     * Returns the pointer without {@code frozen_at}, which the catalogue keeps only to the
     * microsecond.
     */
    private static JsonNode said(Path pointer) throws IOException {
        ObjectNode said = (ObjectNode) new ObjectMapper().readTree(pointer.toFile()).get("pointer");
        said.remove("frozen_at");
        return said;
    }

    @Test
    void fsckRestoresTheManifestAndPointerOfAMountedVersion() throws Exception {
        String version = "stores/bucket@v1";
        Map<String, byte[]> tree = ensured("bucket", 3, Duration.ofHours(1));
        String digest = api.get(Api.path(version)).body().at("/manifest/digest").asText();
        Path bucket = stack.stack().lake().bucketDirectory("forebay-manifests");
        Path manifest = bucket.resolve("manifests").resolve(digest + ".sqlite");
        Path pointer = bucket.resolve("versions/stores/bucket@v1.json");
        byte[] master = Files.readAllBytes(manifest);
        JsonNode written = said(pointer);
        Files.delete(manifest);
        Files.delete(pointer);

        assertThat(codes(fsck("GET", "stores/bucket", false)))
                .containsExactly("MANIFEST_MISSING", "POINTER_MISSING");
        repair("stores/bucket");

        assertThat(Files.readAllBytes(manifest)).isEqualTo(master);
        assertThat(said(pointer)).isEqualTo(written);
        stack.readAll(KOREA, version, tree);
    }

    @Test
    void deepFsckFindsAndRepairsAFlippedBit() throws Exception {
        String version = "stores/deep@v1";
        Map<String, byte[]> tree = ensured("deep", 4, Duration.ofHours(1));
        byte[] first = Objects.requireNonNull(tree.get("0.bin"));
        List<Path> holding = new ArrayList<>();
        for (int worker = 0; worker < 2; worker++) {
            for (Path file : stack.chunkFiles(KOREA, worker)) {
                if (indexOf(Files.readAllBytes(file), first) >= 0) {
                    holding.add(file);
                }
            }
        }
        assertThat(holding).hasSize(1);
        long at = indexOf(Files.readAllBytes(holding.getFirst()), first);
        FlippedBits.in(holding.getFirst(), at, at + first.length, 1, new Random(4));

        assertThat(fsck("GET", "stores/deep", false)).isEmpty();
        assertThat(codes(fsck("GET", "stores/deep", true))).containsExactly("CHUNK_DAMAGED");

        assertThat(fsck("GET", "stores/deep", true)).isEmpty();
        stack.readAll(KOREA, version, tree);
    }

    private static int indexOf(byte[] in, byte[] what) {
        for (int i = 0; i + what.length <= in.length; i += 4096) {
            if (Arrays.equals(in, i, i + what.length, what, 0, what.length)) {
                return i;
            }
        }
        return -1;
    }
}
