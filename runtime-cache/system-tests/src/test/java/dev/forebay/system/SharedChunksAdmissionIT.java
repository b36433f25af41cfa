package dev.forebay.system;

import static dev.forebay.system.LakeFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** "Admission" in docs/semantics.md, for versions that share chunks. */
class SharedChunksAdmissionIT extends NarrowRegion {

    SharedChunksAdmissionIT(RunningStack stack) {
        super(stack);
    }

    @Test
    void admissionEvictsTheVersionThatFreesCapacityInsteadOfVersionsThatShareChunks()
            throws Exception {
        registered("kin/a", 7);
        api.ensure("kin/a@v1", REGION);
        for (String next : List.of("v2", "v3")) {
            stack.lake().put("kin/a/part-6", bytes(next.hashCode(), CHUNK));
            api.ensure("kin/a@" + next, REGION);
        }
        registered("kin/b", 5);
        // A second use gives it more value, so that it is not the first choice anyway.
        api.ensure("kin/b@v1", REGION);
        api.ensure("kin/b@v1", REGION);
        registered("kin/c", 6);

        // 14 of 16 chunks are taken: 6 that three versions share, one of each, and 5.
        Await.until(
                "the plan evicts only kin/b, once the agent knows that it is cached",
                Duration.ofSeconds(60),
                () -> {
                    JsonNode victims = plan("kin/c@v1").path("victims");
                    return victims.size() == 1 && victims.at("/0/dataset").asText().equals("kin/b");
                });
        api.ensure("kin/c@v1", REGION);

        assertThat(state("kin/b@v1")).isEqualTo("ABSENT");
        assertThat(cachedOf("kin/a", "v1", "v2", "v3")).hasSize(3);

        // Now 15 chunks are taken. The next version needs two, and shares five with each of the
        // family.
        stack.lake().put("kin/a/part-5", bytes(5, CHUNK));
        stack.lake().put("kin/a/part-6", bytes(6, CHUNK));
        api.ensure("kin/a@v4", REGION);

        assertThat(cachedOf("kin/a", "v1", "v2", "v3", "v4")).hasSize(3).contains("v4");
        assertThat(state("kin/c@v1")).isEqualTo("CACHED");
    }

    @Test
    void chunksThatSeveralDatasetsShareTakeCapacityOnce() throws Exception {
        List<String> names = List.of("kin/one", "kin/two", "kin/three");
        registered(names.getFirst(), 9);
        for (String name : names) {
            api.register(name, "s3://datasets/kin/one/", Duration.ofHours(1));
            api.ensure(name + "@v1", REGION);
            pin(name + "@v1");
        }
        // Counted for each dataset, these nine chunks would leave no capacity.
        registered("kin/four", 6);

        api.ensure("kin/four@v1", REGION);

        assertThat(plan("kin/four@v1").get("taken_bytes").asLong()).isEqualTo(15L * CHUNK);
        assertThat(stack.lake().gets("kin/one/").values()).containsOnly(1).hasSize(9);
        for (String name : names) {
            api.delete(Api.path(name + "@v1") + "/pins/p?region=" + REGION).expect(204);
        }
    }

    private List<String> cachedOf(String dataset, String... versions) throws Exception {
        List<String> cached = new ArrayList<>();
        for (String version : versions) {
            if (state(dataset + "@" + version).equals("CACHED")) {
                cached.add(version);
            }
        }
        return cached;
    }
}
