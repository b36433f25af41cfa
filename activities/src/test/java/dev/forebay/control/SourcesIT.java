package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.fault.Fault;
import dev.forebay.testing.Api;
import dev.forebay.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The sources of versions, on a real lake. */
class SourcesIT {

    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    private Api.Answer register(String name, String choice) {
        return api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"%s\",\"source\":\"s3://lake/%s/\"%s}"
                        .formatted(name, name, choice));
    }

    private Api.Answer ensure(String name, String version) {
        return api.post(
                version(name, version) + "/ensure?wait_seconds=30",
                IN.replace("}", ",\"create\":true}"));
    }

    /** "The objects of a dataset". */
    @Test
    void includeAndExcludePatternsSelectTheObjects() {
        String name = platform.newName();
        for (String key : new String[] {"train/a", "train/d/b", "train/c.tmp", "val/a", "x"}) {
            platform.put(name + "/" + key, key);
        }
        String choice = ",\"include\":[\"train/**\",\"x\"],\"exclude\":[\"**/*.tmp\"]";

        Api.Answer registered = register(name, choice);
        Api.Answer again = register(name, choice);
        Api.Answer other = register(name, ",\"include\":[\"val/**\"]");
        Api.Answer ensured = ensure(name, "v1");

        assertThat(registered.status()).as(registered.raw().body()).isEqualTo(201);
        assertThat(registered.body().at("/include/1").asText()).isEqualTo("x");
        assertThat(registered.body().get("keys").isNull()).isTrue();
        assertThat(again.status()).isEqualTo(200);
        assertThat(other.status()).isEqualTo(409);
        assertThat(other.text("detail")).contains("include [train/**, x], exclude [**/*.tmp]");
        assertThat(ensured.status()).as(ensured.raw().body()).isEqualTo(200);
        assertThat(ensured.body().at("/receipt/objects").asLong()).isEqualTo(3);
        JsonNode origin = api.get(version(name, "v1")).body().get("origin");
        assertThat(origin.get("source").asText()).isEqualTo("s3://lake/" + name + "/");
        assertThat(origin.at("/exclude/0").asText()).isEqualTo("**/*.tmp");
        assertThat(origin.get("before").isNull()).isTrue();
        assertThat(origin.get("objects_added").asLong()).isEqualTo(3);
    }

    @Test
    void patternsThatMatchNothingMakeTheSourceEmpty() {
        platform.put("nothing/a", "a");
        register("nothing", ",\"include\":[\"b/**\"]");

        Api.Answer ensured = ensure("nothing", "v1");

        assertThat(ensured.status()).as(ensured.raw().body()).isEqualTo(422);
        assertThat(ensured.text("code")).isEqualTo("LAKE_EMPTY");
    }

    @Test
    void aListOfKeysSelectsTheObjects() {
        for (String key : new String[] {"a", "b", "c/1", "c/2", "d"}) {
            platform.put("listed/" + key, key);
        }
        platform.put("lists/listed.txt", "listed/d\nlisted/a\n\nlisted/c/2\n");
        register("listed", ",\"keys\":\"s3://lake/lists/listed.txt\",\"exclude\":[\"a\"]");

        Api.Answer first = ensure("listed", "v1");
        platform.put("lists/listed.txt", "listed/d\nlisted/b\nlisted/c/1\nlisted/c/2\n");
        Api.Answer second = ensure("listed", "v2");

        assertThat(first.body().at("/receipt/objects").asLong()).isEqualTo(2);
        assertThat(second.body().at("/receipt/objects").asLong()).isEqualTo(4);
        JsonNode origin = api.get(version("listed", "v2")).body().get("origin");
        assertThat(origin.get("keys").asText()).isEqualTo("s3://lake/lists/listed.txt");
        assertThat(origin.get("before").asText()).isEqualTo("v1");
        assertThat(origin.get("objects_unchanged").asLong()).isEqualTo(2);
        assertThat(origin.get("objects_added").asLong()).isEqualTo(2);
        assertThat(origin.get("objects_removed").asLong()).isZero();
    }

    @Test
    void aMissingListOrAMissingListedObjectIsRefused() {
        platform.put("absent/a", "a");
        platform.put("lists/absent.txt", "absent/a\nabsent/b\n");
        register("absent", ",\"keys\":\"s3://lake/lists/absent.txt\"");
        platform.put("no-list/a", "a");
        register("no-list", ",\"keys\":\"s3://lake/lists/none.txt\"");

        Api.Answer names = ensure("absent", "v1");
        Api.Answer none = ensure("no-list", "v1");

        assertThat(names.status()).as(names.raw().body()).isEqualTo(422);
        assertThat(names.text("detail")).contains("not in the lake: line 2");
        assertThat(none.status()).as(none.raw().body()).isEqualTo(422);
        assertThat(none.text("detail")).contains("no list of keys at s3://lake/lists/none.txt");
    }

    /** "Resuming an interrupted listing". */
    @Test
    void anInterruptedListingResumesAfterACrash() throws IOException {
        String name = platform.newName() + "-large";
        String prefix = "prefix=" + name;
        int pages = 40;
        int passing = 32;
        makeFiles(platform.s3.bucketDirectory("lake").resolve(name), pages, 1000);
        register(name, "");
        AtomicInteger lists = new AtomicInteger();
        AtomicInteger held = new AtomicInteger();
        platform.lake.spoil(
                request -> {
                    if (!request.target().contains(prefix) || lists.incrementAndGet() <= passing) {
                        return Fault.NONE;
                    }
                    held.incrementAndGet();
                    return new Fault.Delay(Duration.ofMinutes(1));
                });
        try {
            Api.Answer accepted =
                    api.post(version(name, "v1") + "/ensure", IN, "Idempotency-Key", "large");
            assertThat(accepted.status()).as(accepted.raw().body()).isEqualTo(202);
            Await.until("all listing requests hang", () -> held.get() >= 4);
            platform.process.kill9();
        } finally {
            platform.lake.spoil(
                    request -> {
                        if (request.target().contains(prefix)) {
                            lists.incrementAndGet();
                        }
                        return Fault.NONE;
                    });
        }
        lists.set(0);
        platform.process.restart();

        Await.until(
                "done",
                () ->
                        api.get(version(name, "v1") + "/requests/large?wait_seconds=10").status()
                                == 200);
        platform.lake.spoil(request -> Fault.NONE);

        JsonNode made = api.get(version(name, "v1")).body();
        assertThat(made.at("/manifest/objects").asLong()).isEqualTo(pages * 1000L);
        assertThat(made.at("/origin/objects_added").asLong()).isEqualTo(pages * 1000L);
        // A listing from the beginning needs at least one request for each page.
        assertThat(lists.get()).as("requests after the restart").isLessThan(pages);
    }

    @Test
    void aCancelledListingLeavesNothingOnTheDisk() throws IOException {
        String name = platform.newName() + "-unwanted";
        String prefix = "prefix=" + name;
        makeFiles(platform.s3.bucketDirectory("lake").resolve(name), 8, 1000);
        register(name, "");
        AtomicInteger lists = new AtomicInteger();
        platform.lake.spoil(
                request ->
                        request.target().contains(prefix) && lists.incrementAndGet() > 2
                                ? new Fault.Stall(0)
                                : Fault.NONE);
        try {
            Api.Answer accepted =
                    api.post(version(name, "v1") + "/ensure", IN, "Idempotency-Key", "unwanted");
            assertThat(accepted.status()).as(accepted.raw().body()).isEqualTo(202);
            Await.until("something is listed", () -> lists.get() > 2 && !kept().isEmpty());

            Api.Answer taken = api.delete(version(name, "v1") + "/requests/unwanted");

            assertThat(taken.status()).isEqualTo(204);
            Await.until("what was listed is gone", () -> kept().isEmpty());
        } finally {
            platform.lake.spoil(request -> Fault.NONE);
        }
    }

    /** Returns the listings that are kept on the control plane's disk. */
    private List<Path> kept() {
        try (Stream<Path> entries = Files.list(platform.workDirectory().resolve("kept"))) {
            return entries.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void makeFiles(Path root, int folders, int inEach) throws IOException {
        for (int folder = 0; folder < folders; folder++) {
            Path made = Files.createDirectories(root.resolve("%03d".formatted(folder)));
            for (int file = 0; file < inEach; file++) {
                Files.writeString(made.resolve("%04d".formatted(file)), "x");
            }
        }
    }
}
