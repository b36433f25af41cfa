package dev.forebay.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Base64;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** "Rows of a later release" in etcd: a worker that finds rows it does not understand. */
@SuppressWarnings("NullAway.Init") // set before all tests
class WorkerLaterReleaseIT extends RunningWorker {

    private static WorkerProcess small;

    @BeforeAll
    static void startSmall() {
        small = workerOfTheClass("later-release", "forebay.worker.capacity=%d".formatted(40 * MIB));
    }

    @ParameterizedTest
    @ValueSource(strings = {"holds/all", "mounts/ns/data/later-shape", "pins/ns"})
    void aRowOfALaterReleasePreventsDropsAndEvictions(String key) throws Exception {
        String name = "later-" + key.length();
        region.put(name + "-old/object", random(1, 16 * MIB));
        region.put(name + "-leaving/object", random(2, 8 * MIB));
        region.put(name + "-new/object", random(3, 24 * MIB));
        TestVersion old = mounted(name + "-old");
        TestVersion leaving = mounted(name + "-leaving");
        TestVersion coming = mounted(name + "-new");
        awaitMounted(small, coming);
        fillAll(small, old);
        fillAll(small, leaving);
        region.state.beginEviction(leaving.name());
        awaitCaughtUp(small);

        write(key, "{\"since\":1}");
        int heldOfLeaving;
        try {
            await(() -> small.metric("forebay_worker_etcd_rows_not_understood") == 1);
            int heldOfOld = held(old);
            heldOfLeaving = held(leaving);
            assertThat(heldOfOld + heldOfLeaving).as("chunks that could be lost").isPositive();
            HttpResponse<byte[]> dropped = small.send("DELETE", leaving.manifestPath() + "/chunks");
            assertProblem(dropped, 503, ErrorCode.UNAVAILABLE);
            assertThat(new String(dropped.body(), UTF_8)).contains(key, "upgrade");
            assertThatThrownBy(() -> fillAll(small, coming))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_EXCEEDED));
            assertThat(held(old)).as("nothing was evicted").isEqualTo(heldOfOld);
            assertThat(held(leaving)).isEqualTo(heldOfLeaving);
        } finally {
            delete(key);
        }

        await(() -> small.metric("forebay_worker_etcd_rows_not_understood") == 0);
        // Fills ahead by another worker may have evicted some of these chunks meanwhile.
        assertThat(client.drop(small.node(), leaving.ref().digest()).chunksDropped())
                .isLessThanOrEqualTo(heldOfLeaving);
        assertThat(held(leaving)).isZero();
        fillAll(small, coming);
        region.state.catchUp();
        for (TestVersion each : new TestVersion[] {old, leaving, coming}) {
            region.state.beginEviction(each.name());
            region.state.unmount(each.name());
        }
    }

    @Test
    void aWorkerKeepsAndServesAVersionWhoseRowItNoLongerUnderstands() throws Exception {
        region.put("later-known/object", random(4, 24 * MIB));
        region.put("later-other/object", random(5, 24 * MIB));
        TestVersion version = mounted("later-known");
        TestVersion other = mounted("later-other");
        awaitMounted(small, other);
        fillAll(small, version);

        write("mounts/" + version.name().path(), "{\"manifests\":[]}");
        try {
            await(() -> small.metric("forebay_worker_etcd_rows_not_understood") == 1);
            int held = held(version);
            assertThat(held).as("chunks that could be lost").isPositive();
            fillAll(small, other);
            assertThat(held(version)).isEqualTo(held);
            assertThat(small.get(version.readPath(), "Range", "bytes=0-99").statusCode())
                    .isEqualTo(206);
        } finally {
            delete("mounts/" + version.name().path());
        }
    }

    private static int held(TestVersion version) {
        return client.coverage(small.node(), version.ref().digest()).held().cardinality();
    }

    private static void fillAll(WorkerProcess process, TestVersion version) {
        for (ChunkRef ref : version.chunks()) {
            client.fill(process.node(), version.ref().digest(), ref.chunk());
        }
    }

    private static void write(String key, String value) throws Exception {
        etcd("put", "{\"key\":\"%s\",\"value\":\"%s\"}".formatted(base64(key(key)), base64(value)));
    }

    private static void delete(String key) throws Exception {
        etcd("deleterange", "{\"key\":\"%s\"}".formatted(base64(key(key))));
    }

    private static String key(String key) {
        return "/forebay/%s/%s".formatted(TestRegion.NAME, key);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private static void etcd(String call, String body) throws Exception {
        URI address = URI.create(region.etcd.endpoint() + "/v3/kv/" + call);
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(address).POST(BodyPublishers.ofString(body)).build();
            assertThat(http.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        }
    }
}
