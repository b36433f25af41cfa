package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static dev.forebay.system.RunningStack.KOREA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.devstack.stack.FuseMount;
import dev.forebay.devstack.stack.StackConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A region whose workers use TLS, and whose processes require a token from each other. Its agent
 * fills workers and asks for their coverage, its FUSE pod reads from them, and they copy from each
 * other.
 */
class EncryptedWorkersIT {

    private static final int CHUNK = 8 << 20;
    private static final String VERSION = "tls/data@v1";

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void aVersionIsFilledReadPinnedAndEvictedOverTlsWithTokens(@TempDir Path directory)
            throws Exception {
        String token = "a-token-of-enough-characters";
        Path file = Files.writeString(directory.resolve("token"), token + "\n");
        Map<String, byte[]> tree = new TreeMap<>();
        tree.put("large", bytes(1, 3 * CHUNK + 12_345));
        for (int i = 0; i < 200; i++) {
            tree.put("small/%03d".formatted(i), bytes(i, 1_000 + i));
        }
        try (RunningStack stack =
                RunningStack.start(
                        "encrypted",
                        (StackConfig.Builder config) ->
                                config.regions(KOREA)
                                        .workersPerRegion(2)
                                        .workersSpeakTls()
                                        .tokenFile(file))) {
            assertThat(stack.region(KOREA).worker(0).address().getScheme()).isEqualTo("https");
            stack.lake().putAll("encrypted/", tree);
            stack.api().register("tls/data", "s3://datasets/encrypted/", Duration.ofHours(1));

            JsonNode receipt = stack.api().ensure(VERSION, KOREA);

            assertThat(receipt.get("bytes_verified").asLong())
                    .isEqualTo(tree.values().stream().mapToLong(each -> each.length).sum());
            stack.readAll(KOREA, VERSION, tree);
            workersSayWhatTheyHoldAndWhatItCost(stack, tree.size());
            aPodThatDoesNotTrustThemSaysWhatToSet(stack, directory);
            aPinHoldsItUntilItIsReleased(stack);
            everyOperationOfTheControlPlaneWantsTheToken(stack, token);
        }
    }

    /** The control plane asks the agent for these figures, and the agent asks its workers. */
    private static void workersSayWhatTheyHoldAndWhatItCost(RunningStack stack, int objects)
            throws Exception {
        // A worker that a busy machine delays is shown without figures.
        Await.until(
                "all workers say what they hold",
                Duration.ofSeconds(60),
                () -> usedByWorkers(stack).size() == 2);
        // The distribution depends on the workers' ids, and one may hold nothing.
        assertThat(usedByWorkers(stack).stream().mapToLong(Long::longValue).sum())
                .isGreaterThan(3L * CHUNK);
        JsonNode sweep = stack.api().get("/regions/" + KOREA + "/sweep/plan").expect(200).body();
        assertThat(sweep.get("used_bytes").asLong()).as("%s", sweep).isGreaterThan(3L * CHUNK);
        JsonNode plan = stack.api().post(Api.path(VERSION) + "/plan", Map.of()).expect(200).body();
        assertThat(plan.at("/regions/0/needs/objects").asInt()).as("%s", plan).isEqualTo(objects);
        Await.until(
                "the ledger has what the lake sent",
                Duration.ofSeconds(60),
                () ->
                        stack.api()
                                        .get("/costs?dataset=tls/data")
                                        .expect(200)
                                        .body()
                                        .at("/total/lake/bytes")
                                        .asLong()
                                >= 3L * CHUNK);
    }

    /** Returns the used bytes of each worker that the region shows with its figures. */
    private static List<Long> usedByWorkers(RunningStack stack) throws Exception {
        List<Long> used = new ArrayList<>();
        for (JsonNode worker :
                stack.api().get("/regions").expect(200).body().at("/items/0/workers")) {
            if (worker.path("used_bytes").isNumber()) {
                used.add(worker.get("used_bytes").asLong());
            }
        }
        return used;
    }

    private static void aPinHoldsItUntilItIsReleased(RunningStack stack) throws Exception {
        Map<String, Object> evict = Map.of("region", KOREA);
        stack.api()
                .post(
                        Api.path(VERSION) + "/pins",
                        Map.of("region", KOREA, "id", "p", "holder", "job", "lease_seconds", 600))
                .expect(201);
        assertThat(stack.api().post(Api.path(VERSION) + "/evict", evict).expect(409).code())
                .isEqualTo("PINNED");
        stack.api().delete(Api.path(VERSION) + "/pins/p?region=" + KOREA).expect(204);

        stack.api().post(Api.path(VERSION) + "/evict", evict).expect(200);

        assertThat(stack.countChunkFiles(KOREA)).isZero();
    }

    private static void everyOperationOfTheControlPlaneWantsTheToken(
            RunningStack stack, String token) throws Exception {
        URI api = stack.stack().api();
        JsonNode paths =
                JSON.readTree(send("GET", api.resolve("/q/openapi?format=json"), token).body())
                        .get("paths");
        int operations = 0;
        for (Map.Entry<String, JsonNode> path : paths.properties()) {
            URI uri = api.resolve(path.getKey().replaceAll("\\{\\w+}", "x"));
            for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
                String method = operation.getKey().toUpperCase(Locale.ROOT);
                operations++;
                for (String wrong : List.of("", "wrong-" + token)) {
                    HttpResponse<String> refused = send(method, uri, wrong);
                    assertThat(refused.statusCode()).as("%s %s", method, uri).isEqualTo(401);
                    assertThat(refused.body()).contains("DENIED");
                }
            }
        }
        assertThat(operations).isGreaterThan(30);
    }

    private static HttpResponse<String> send(String method, URI uri, String token)
            throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(uri)
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .header("Authorization", "Bearer " + token)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static void aPodThatDoesNotTrustThemSaysWhatToSet(RunningStack stack, Path directory)
            throws IOException {
        try (FuseMount stranger =
                FuseMount.another(stack.region(KOREA), directory.resolve("pod"), Map.of())) {
            Path file = stranger.mountpoint().resolve("tls/data/v1/large");

            assertThatThrownBy(() -> Files.readAllBytes(file)).isInstanceOf(IOException.class);

            Await.until(
                    "the log names the setting",
                    Duration.ofSeconds(60),
                    () -> {
                        assertThatThrownBy(() -> Files.readAllBytes(file))
                                .isInstanceOf(IOException.class);
                        String log = Files.readString(stranger.log());
                        return log.contains("the certificate of https://127.0.0.1:")
                                && log.contains("--worker-ca");
                    });
        }
    }
}
