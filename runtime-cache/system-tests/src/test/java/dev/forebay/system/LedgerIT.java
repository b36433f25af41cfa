package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.server.Server;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The ledger beside the lake's own access log: "The ledger" in docs/semantics.md. */
@ExtendWith(SharedStack.class)
class LedgerIT {

    private static final int CHUNK = 8 << 20;
    private static final int CHUNKS = 32;
    private static final String REGION = RunningStack.VIRGINIA;

    /** As many requests as a worker has under way: each object is a chunk of its own. */
    private static final int IN_FLIGHT = 8;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RunningStack stack;
    private final Api api;
    private final LakeFixture lake;

    LedgerIT(RunningStack stack) {
        this.stack = stack;
        this.api = stack.api();
        this.lake = stack.lake();
    }

    enum Victim {
        NOBODY,
        WORKER,
        AGENT,
        CONTROL_PLANE,
        POSTGRES
    }

    private Server find(Victim victim) {
        return switch (victim) {
            case NOBODY -> throw new IllegalArgumentException("nobody is killed");
            case WORKER -> stack.region(REGION).worker(0);
            case AGENT -> stack.region(REGION).agent();
            case CONTROL_PLANE -> stack.stack().controlPlane();
            case POSTGRES -> stack.stack().postgres();
        };
    }

    /** "The ledger": kill -9 in the middle of a fill, and again when it is noted. */
    @ParameterizedTest
    @EnumSource(Victim.class)
    void itSaysInTheEndWhatTheLakesOwnLogSays(Victim victim) throws Exception {
        String name = "ledger-" + victim.name().toLowerCase(Locale.ROOT).replace('_', '-');
        Map<String, byte[]> tree = tree(name, CHUNKS);
        String version = "bill/" + name + "@v1";

        String request = api.accept(version, Map.of("region", REGION, "run_id", "train-7"));
        if (victim != Victim.NOBODY) {
            Await.until("the fill is under way", PATIENCE, () -> gets(name) > 2);
            Server server = find(victim);
            server.kill9();
            server.restart();
        }
        api.receipt(version, REGION, request, Duration.ofMinutes(3));
        stack.readAll(REGION, version, tree);
        awaitAsInTheLog(name, victim);
        // What readers are sent is added up every few seconds.
        Await.until(
                "it is noted that it was read through the mount once",
                PATIENCE,
                () -> costs(name, "").at("/total/readers/bytes").asLong() >= (long) CHUNKS * CHUNK);

        if (victim != Victim.NOBODY) {
            find(victim).kill9();
            find(victim).restart();
        }
        api.post(Api.path(version) + "/evict", Map.of("region", REGION)).expect(200);
        String again = api.accept(version, Map.of("region", REGION));
        api.receipt(version, REGION, again, Duration.ofMinutes(3));
        awaitAsInTheLog(name, victim);
        JsonNode total = costs(name, "").get("total");
        assertThat(total.at("/lake/requests").asInt()).isGreaterThanOrEqualTo(2 * CHUNKS);
        assertThat(total.get("nvme_gb_hours").asDouble()).isPositive();
        assertThat(costs(name, "&run_id=train-7").at("/total/lake/requests").asInt())
                .as("what the first fill cost, which the run asked for")
                .isBetween(CHUNKS, CHUNKS + IN_FLIGHT);
        api.post(Api.path(version) + "/evict", Map.of("region", REGION)).expect(200);
    }

    /** "The ledger": two regions, and versions that share what did not change. */
    @Test
    void eachRegionAndEachVersionPaysForWhatItHadFetched() throws Exception {
        tree("ledger-shared", 4);
        api.ensure("bill/ledger-shared@v1", REGION);
        api.ensure("bill/ledger-shared@v1", RunningStack.KOREA);
        lake.put("ledger-shared/new.bin", bytes(99, CHUNK));
        api.ensure("bill/ledger-shared@v2", REGION);

        awaitAsInTheLog("ledger-shared", Victim.NOBODY);

        JsonNode byVersion = costs("ledger-shared", "&by=version&region=" + REGION).get("items");
        assertThat(byVersion.at("/0/lake/bytes").asLong()).isEqualTo(4L * CHUNK);
        assertThat(byVersion.at("/1/lake/bytes").asLong()).isEqualTo(CHUNK);
        JsonNode byRegion = costs("ledger-shared", "&by=region").get("items");
        assertThat(byRegion.at("/0/key").asText()).isEqualTo(RunningStack.KOREA);
        assertThat(byRegion.at("/0/lake/requests").asInt()).isEqualTo(4);
        assertThat(byRegion.at("/1/lake/requests").asInt()).isEqualTo(5);
    }

    private Map<String, byte[]> tree(String name, int objects) throws Exception {
        Map<String, byte[]> tree = new TreeMap<>();
        for (int i = 0; i < objects; i++) {
            tree.put("%02d.bin".formatted(i), bytes(i, CHUNK));
        }
        lake.putAll(name + "/", tree);
        api.register("bill/" + name, "s3://datasets/" + name + "/", Duration.ofHours(1));
        return tree;
    }

    /**
     * What is noted only grows, so once it is there, anything beyond the log is wrong, and not
     * late. A request that its worker had written down, and not sent yet when it was killed, is
     * extra.
     */
    private void awaitAsInTheLog(String name, Victim victim) throws Exception {
        int extra = victim == Victim.WORKER ? IN_FLIGHT : 0;
        int logged = gets(name);
        // A request is noted when it is sent, its bytes when they have come.
        Await.until(
                "all of the log is noted",
                PATIENCE,
                () ->
                        fromLake(name, "requests") >= logged
                                && fromLake(name, "bytes") >= (long) logged * CHUNK);
        assertThat(fromLake(name, "requests")).isBetween((long) logged, (long) logged + extra);
        assertThat(fromLake(name, "bytes")).isEqualTo(fromLake(name, "requests") * CHUNK);
    }

    private long fromLake(String name, String figure) throws Exception {
        return costs(name, "").at("/total/lake/" + figure).asLong();
    }

    private int gets(String name) throws Exception {
        return lake.gets(name + "/").values().stream().mapToInt(Integer::intValue).sum();
    }

    private JsonNode costs(String name, String more) throws Exception {
        return api.get("/costs?dataset=bill/" + name + more).expect(200).body();
    }
}
