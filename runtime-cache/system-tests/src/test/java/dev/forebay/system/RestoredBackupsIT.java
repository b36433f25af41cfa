package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static dev.forebay.system.RunningStack.KOREA;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.server.PostgresServer;
import dev.forebay.devstack.server.Server;
import dev.forebay.devstack.stack.Region;
import dev.forebay.devstack.tool.Toolbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * "Repairing inconsistent stores": restores each store from a backup that is older than the other
 * stores, with the commands of the runbook. Versions pinned before or after the backup are still
 * pinned and have their bytes, without new reads of the lake.
 */
@ExtendWith(SharedStack.class)
class RestoredBackupsIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int LEASE_SECONDS = 3_600;

    private final RunningStack stack;
    private final Api api;
    private final LakeFixture lake;
    private final Region region;

    @TempDir Path directory;

    /** The expected tree of every version after any restore. */
    private final Map<String, Map<String, byte[]>> trees = new TreeMap<>();

    RestoredBackupsIT(RunningStack stack) {
        this.stack = stack;
        this.api = stack.api();
        this.lake = stack.lake();
        this.region = stack.region(KOREA);
    }

    /** "Repairing inconsistent stores", for PostgreSQL. */
    @Test
    void theRunbookRestoresPostgresFromAnOldBackup() throws Exception {
        PostgresServer postgres = stack.stack().postgres();
        Path programs = Toolbox.ofThisMachine().postgresClients();
        Runbook runbook =
                runbook(
                        Map.of(
                                "PATH", path(programs),
                                "PGHOST", "127.0.0.1",
                                "PGPORT", Integer.toString(postgres.port()),
                                "PGUSER", postgres.user(),
                                "PGPASSWORD", postgres.password()));
        beforeTheBackup("postgres");
        runbook.run("pg_dump");
        afterTheBackup("postgres");

        stack.stack().controlPlane().close();
        runbook.run("pg_restore");
        stack.stack().controlPlane().restart();

        mend(runbook);
        checkAll("postgres");
    }

    /** "Repairing inconsistent stores", for a region's etcd. */
    @Test
    void theRunbookRestoresEtcdFromAnOldBackup() throws Exception {
        EtcdServer etcd = region.etcd();
        Toolbox tools = Toolbox.ofThisMachine();
        Runbook runbook =
                runbook(
                        Map.of(
                                "PATH",
                                path(
                                        tools.etcdctl().resolveSibling("."),
                                        tools.etcdutl().resolveSibling(".")),
                                "ETCD",
                                etcd.endpoint().toString(),
                                "DATA",
                                etcd.data().toString(),
                                "NAME",
                                etcd.member(),
                                "CLUSTER",
                                etcd.member() + "=" + etcd.peer(),
                                "PEER",
                                etcd.peer().toString()));
        beforeTheBackup("etcd");
        runbook.run("etcdctl --endpoints=\"$ETCD\"");
        // After this restart, the snapshot has an earlier process of the worker.
        region.worker(0).kill9();
        region.worker(0).restart();
        afterTheBackup("etcd");

        stack.stack().controlPlane().close();
        region.agent().close();
        etcd.close();
        runbook.run("mv \"$DATA\"");
        runbook.run("etcdutl");
        etcd.restart();
        region.agent().restart();
        stack.stack().controlPlane().restart();

        mend(runbook);
        Await.until(
                "all workers are live", TIMEOUT, () -> liveWorkers() == region.workers().size());
        checkAll("etcd");
    }

    /**
     * "Repairing inconsistent stores", for Temporal. The test copies the development server's file
     * while the server is stopped: a second process that reads the file would make the server's
     * writes fail.
     */
    @Test
    void theRunbookRestoresTemporalFromAnOldBackup() throws Exception {
        Server temporal = stack.stack().temporal();
        Path data = temporal.log().resolveSibling("temporal.db");
        Path backup = directory.resolve("temporal.backup");
        Runbook runbook = runbook(Map.of("PATH", path()));
        beforeTheBackup("temporal");
        temporal.close();
        Files.copy(data, backup);
        temporal.restart();
        afterTheBackup("temporal");

        stack.stack().controlPlane().close();
        temporal.close();
        Files.copy(backup, data, StandardCopyOption.REPLACE_EXISTING);
        temporal.restart();
        stack.stack().controlPlane().restart();

        mend(runbook);
        checkAll("temporal");
    }

    private static String path(Path... first) {
        List<String> all = new ArrayList<>();
        for (Path each : first) {
            all.add(each.toString());
        }
        all.add(Path.of("../../target/venv/bin").toAbsolutePath().normalize().toString());
        all.add(System.getenv("PATH"));
        return String.join(":", all);
    }

    private Runbook runbook(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("FOREBAY_API", stack.stack().api().toString());
        return new Runbook(directory, all);
    }

    private void beforeTheBackup(String store) throws Exception {
        put(store + "-old", 1);
        ensureAndPin(store + "-old", "v1", "before");
        put(store + "-gone", 2);
        ensure(store + "-gone", "v1");
    }

    /** Changes the lake last: a version that was frozen again would have other bytes. */
    private void afterTheBackup(String store) throws Exception {
        pin(name(store + "-old", "v1"), "after");
        put(store + "-old", 3);
        ensureAndPin(store + "-old", "v2", "after");
        put(store + "-new", 4);
        ensureAndPin(store + "-new", "v1", "after");
        put(store + "-old", 5);
        put(store + "-new", 6);
        api.post(Api.path(name(store + "-gone", "v1")) + "/evict", Map.of("region", KOREA))
                .expect(200);
    }

    private static String name(String dataset, String version) {
        return "restored/" + dataset + "@" + version;
    }

    private static Map<String, byte[]> tree(int seed) {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < 4; i++) {
            tree.put(i + ".bin", bytes(90_000 + seed * 100L + i, 100_000 + 997 * i));
        }
        return tree;
    }

    private void put(String dataset, int seed) throws Exception {
        lake.putAll(dataset + "/", tree(seed));
        trees.put(dataset, tree(seed));
    }

    private void ensure(String dataset, String version) throws Exception {
        api.register("restored/" + dataset, "s3://datasets/" + dataset + "/", Duration.ofHours(2));
        api.ensure(name(dataset, version), KOREA);
        trees.put(name(dataset, version), shown(dataset));
    }

    private void ensureAndPin(String dataset, String version, String id) throws Exception {
        ensure(dataset, version);
        pin(name(dataset, version), id);
    }

    private void pin(String version, String id) throws Exception {
        Map<String, Object> body =
                Map.of("region", KOREA, "id", id, "holder", "job", "lease_seconds", LEASE_SECONDS);
        api.post(Api.path(version) + "/pins", body).expect(201);
    }

    /** Runs the steps of the runbook once the stores run again. */
    private void mend(Runbook runbook) throws Exception {
        assertThat(runbook.run("forebay regions")).contains(KOREA);
        assertThat(runbook.run("forebay fsck --repair")).endsWith(" 0 left\n");
        Await.until("fsck finds nothing", TIMEOUT, () -> findings().isEmpty());
    }

    private List<JsonNode> findings() throws Exception {
        List<JsonNode> findings = new ArrayList<>();
        JsonNode page;
        String after = "";
        do {
            page = api.get("/fsck?of=restored&after=" + after).expect(200).body();
            page.get("findings").forEach(findings::add);
            after = page.path("next").asText("");
        } while (page.path("next").isTextual());
        return findings;
    }

    private long liveWorkers() throws Exception {
        long live = 0;
        for (JsonNode each : api.get("/regions").body().get("items")) {
            for (JsonNode worker : each.get("workers")) {
                boolean counts =
                        each.get("name").asText().equals(KOREA) && worker.get("live").asBoolean();
                live += counts ? 1 : 0;
            }
        }
        return live;
    }

    private void checkAll(String store) throws Exception {
        String gone = name(store + "-gone", "v1");
        Map<String, List<String>> pins =
                Map.of(
                        name(store + "-old", "v1"), List.of("after", "before"),
                        name(store + "-old", "v2"), List.of("after"),
                        name(store + "-new", "v1"), List.of("after"));
        for (Map.Entry<String, List<String>> version : pins.entrySet()) {
            check(version.getKey(), version.getValue());
        }
        assertThat(lake.countGets(store + "-old/")).as("all of two versions, once").isEqualTo(8);
        assertThat(lake.countGets(store + "-new/")).as("all of it, once").isEqualTo(4);
        api.ensure(gone, KOREA);
        stack.readAll(KOREA, gone, shown(gone));
        api.post(Api.path(gone) + "/evict", Map.of("region", KOREA)).expect(200);
        put(store + "-next", 7);
        ensureAndPin(store + "-next", "v1", "after");
        check(name(store + "-next", "v1"), List.of("after"));
    }

    private Map<String, byte[]> shown(String version) {
        return Objects.requireNonNull(trees.get(version));
    }

    /**
     * Checks that the version has its bytes, cannot be evicted until its pins are released, and can
     * be evicted afterwards.
     */
    private void check(String version, List<String> pins) throws Exception {
        stack.readAll(KOREA, version, shown(version));
        Map<String, Object> here = Map.of("region", KOREA);
        for (String pin : pins) {
            assertThat(api.post(Api.path(version) + "/evict", here).expect(409).code())
                    .as(version + " " + pin)
                    .isEqualTo("PINNED");
            api.delete(Api.path(version) + "/pins/" + pin + "?region=" + KOREA).expect(204);
        }
        api.post(Api.path(version) + "/evict", here).expect(200);
    }
}
